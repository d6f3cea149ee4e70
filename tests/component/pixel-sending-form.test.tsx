import { screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Pixel } from '#contract/pixel.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makeCheck, NOW } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const PATCH = 'PATCH /rest/v1/tracking_pixels'
const TOKEN = 'EAAG0123456789secretTOKEN'
const STORED = { has_access_token: true, access_token_stored_at: '2026-11-15T11:00:00.000Z' }

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

async function openForm(pixel: Partial<Pixel> = {}) {
  const code = generateSnippet('meta', '482910377165024')
  site.addPixel('Loja', { health: 'waiting' }, { code, ...pixel })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Loja' }))
  const dialog = within(await screen.findByRole('dialog'))
  return { person, dialog }
}

async function paste(person: UserEvent, field: HTMLElement, text: string) {
  await person.click(field)
  await person.paste(text)
}

const choices = () => screen.queryAllByRole('radio').map((radio) => radio.parentElement?.textContent)
const sent = () => site.callsTo(PATCH).at(-1)?.body as Record<string, unknown>
const save = () => screen.getByRole('button', { name: 'Salvar' })

describe('"Envio"', () => {
  test('has the ways that the type has, with what each means', async () => {
    const { person, dialog } = await openForm()
    expect(choices()).toEqual([
      expect.stringMatching(/^NavegadorO script da Meta roda na página/),
      expect.stringMatching(/^ServidorRecomendadoNenhum script da Meta/),
      expect.stringMatching(/^Navegador e servidor.*a Meta conta uma vez/),
    ])
    expect((dialog.getByRole('radio', { name: 'Navegador' }) as HTMLInputElement).checked).toBe(true)
    const type = dialog.getByLabelText('Tipo de Pixel')
    await person.selectOptions(type, 'google_analytics')
    expect(choices()).toEqual([
      expect.stringMatching(/^NavegadorO script do Google/),
      expect.stringMatching(/^Servidor.*relatórios ficam parciais.*o Google não confirma/),
    ])
    await person.selectOptions(type, 'google_tag_manager')
    expect(choices()).toEqual([])
    expect(dialog.queryByText('Envio')).toBeNull()
    await person.selectOptions(type, 'custom')
    await person.click(dialog.getByRole('radio', { name: 'Servidor' }))
    dialog.getByLabelText('Endereço do webhook')
    dialog.getByLabelText('Segredo de assinatura')
    expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
  })

  test('by server, the code is said not to run, and nothing is foretold of a page that loads nothing', async () => {
    site.preview = { ...site.preview, sends: ['Cada página vista.'] }
    const { person, dialog } = await openForm()
    await dialog.findByText('O que sai sozinho')
    await person.click(dialog.getByRole('radio', { name: 'Servidor' }))
    dialog.getByText('Com o envio pelo servidor, este código fica guardado e não roda na página.')
    expect(dialog.queryByText('O que sai sozinho')).toBeNull()
    await person.click(dialog.getByRole('radio', { name: 'Navegador e servidor' }))
    dialog.getByText('O que sai sozinho')
  })
})

describe('the token', () => {
  test('is asked for, kept out of password managers, sent once and never seen again', async () => {
    const { person, dialog } = await openForm()
    await person.click(dialog.getByRole('radio', { name: 'Servidor' }))
    await person.click(save())
    await dialog.findByText('Preencha: Token de acesso.')
    expect(site.callsTo(PATCH)).toEqual([])
    const field = dialog.getByLabelText('Token de acesso')
    expect([field.getAttribute('autocomplete'), field.getAttribute('type')]).toEqual(['off', 'text'])
    await person.type(field, 'EAAG com espaço')
    await person.click(save())
    await dialog.findByText('Isto não parece inteiro. Copie de novo, sem espaços nem aspas.')
    await person.clear(field)
    await paste(person, field, TOKEN)
    await person.click(save())
    await screen.findByText('Pixel salvo: Loja')
    expect(sent()).toMatchObject({ delivery: 'server', access_token: TOKEN })
    await person.click(screen.getByRole('button', { name: 'Editar: Loja' }))
    const again = await screen.findByLabelText('Token de acesso')
    expect((again as HTMLInputElement).value).toBe('')
    screen.getByText(/^Guardado em 15\/11\/2026.* e cifrado\. Para trocar, cole outro\./)
    expect(document.body.innerHTML).not.toContain(TOKEN)
  })

  test('survives edits that do not touch it, and is replaced by typing', async () => {
    const { person, dialog } = await openForm({ delivery: 'both', ...STORED })
    await person.type(dialog.getByLabelText('Nome do Pixel'), ' 2')
    await person.click(save())
    await screen.findByText('Pixel salvo: Loja 2')
    expect('access_token' in sent()).toBe(false)
    expect(sent()).toMatchObject({ delivery: 'both', send_hashed_email: false })
    await person.click(screen.getByRole('button', { name: 'Editar: Loja 2' }))
    await paste(person, await screen.findByLabelText('Token de acesso'), `${TOKEN}2`)
    await person.click(save())
    await waitFor(() => expect(sent().access_token).toBe(`${TOKEN}2`))
  })

  test('the address of subscriptions goes along only where somebody says so, and never from the browser', async () => {
    const { person, dialog } = await openForm({ delivery: 'both', ...STORED })
    const box = dialog.getByRole('checkbox', { name: /Enviar o e-mail da inscrição, em código/ })
    expect((box as HTMLInputElement).checked).toBe(false)
    await person.click(box)
    await person.click(save())
    await waitFor(() => expect(sent()).toMatchObject({ delivery: 'both', send_hashed_email: true }))
    await person.click(screen.getByRole('button', { name: 'Editar: Loja' }))
    const again = within(await screen.findByRole('dialog'))
    expect((again.getByRole('checkbox', { name: /em código/ }) as HTMLInputElement).checked).toBe(true)
    await person.click(again.getByRole('radio', { name: 'Navegador' }))
    expect(again.queryByRole('checkbox', { name: /em código/ })).toBeNull()
  })

  test('is removed only by a click, once the browser sends, and until it is saved it can be kept', async () => {
    const { person, dialog } = await openForm({ delivery: 'server', ...STORED })
    expect(dialog.queryByRole('button', { name: 'Remover: Token de acesso' })).toBeNull()
    await person.click(dialog.getByRole('radio', { name: 'Navegador' }))
    dialog.getByText(/^Guardado em 15\/11\/2026.* Não é usado com este envio\.$/)
    await person.click(dialog.getByRole('button', { name: 'Remover: Token de acesso' }))
    dialog.getByText('Será removido ao salvar.')
    await person.click(dialog.getByRole('button', { name: 'Manter: Token de acesso' }))
    await person.click(dialog.getByRole('button', { name: 'Remover: Token de acesso' }))
    await person.click(save())
    await screen.findByText('Pixel salvo: Loja')
    expect(sent()).toMatchObject({ delivery: 'browser', access_token: null })
    expect(site.pixels[0]?.has_access_token).toBe(false)
  })

  test('that was typed stays with its type while another one is looked at', async () => {
    const { person, dialog } = await openForm()
    await person.click(dialog.getByRole('radio', { name: 'Navegador e servidor' }))
    await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
    const type = dialog.getByLabelText('Tipo de Pixel')
    await person.selectOptions(type, 'custom')
    expect(dialog.queryByLabelText('Segredo de assinatura')).toBeNull()
    await person.selectOptions(type, 'meta')
    expect((dialog.getByLabelText('Token de acesso') as HTMLInputElement).value).toBe(TOKEN)
    expect((dialog.getByRole('radio', { name: 'Navegador e servidor' }) as HTMLInputElement).checked).toBe(
      true,
    )
  })
})

test('what the server refuses about sending stands at its field, and nothing typed is lost', async () => {
  const { person, dialog } = await openForm({ delivery: 'server', ...STORED })
  const message = 'Para enviar pelo servidor, informe: Token de acesso.'
  site.refuse(PATCH, 400, { code: 'pixel_delivery_refused', message, details: null, hint: null })
  await person.type(dialog.getByLabelText('Nome do Pixel'), ' 2')
  await person.click(save())
  await dialog.findByText(message)
  const field = dialog.getByLabelText('Token de acesso')
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe(message)
  expect(document.activeElement).toBe(field)
  expect(dialog.queryByText('Erro ao salvar pixel')).toBeNull()
  // What no field is at fault for stands with the choice.
  await paste(person, field, TOKEN)
  await person.click(save())
  await waitFor(() => expect(dialog.getByRole('alert').textContent).toBe(message))
  expect(dialog.getByRole('group', { name: 'Envio' }).textContent).toContain(message)
  expect((dialog.getByLabelText('Nome do Pixel') as HTMLInputElement).value).toBe('Loja 2')
  expect((field as HTMLInputElement).value).toBe(TOKEN)
  expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
})

test('a typed token is unsaved work, and somebody else’s change does not take it', async () => {
  const { person, dialog } = await openForm({ delivery: 'server', ...STORED })
  await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
  await person.keyboard('{Escape}')
  const question = await screen.findByRole('alertdialog', { name: 'Descartar as alterações?' })
  await person.click(within(question).getByRole('button', { name: 'Continuar editando' }))
  Object.assign(site.pixels[0] as Pixel, { name: 'Outra', updated_at: NOW })
  await person.click(save())
  await screen.findByText('Este pixel foi alterado depois que você abriu o formulário.')
  expect((dialog.getByLabelText('Token de acesso') as HTMLInputElement).value).toBe(TOKEN)
  await person.click(screen.getByRole('button', { name: 'Salvar a minha mesmo assim' }))
  await screen.findByText('Pixel salvo: Loja')
  expect(sent()).toMatchObject({ access_token: TOKEN, name: 'Loja' })
})

describe('"Conferir"', () => {
  const verdict = () => within(screen.getByRole('region', { name: 'Conferência' }))

  test('sends one test event of what is saved, and shows payload and answer, to the letter', async () => {
    const { person, dialog } = await openForm({ delivery: 'server', ...STORED })
    const path = `/admin/api/pixels/${site.pixels[0]?.id}/check`
    const held = site.hold(`POST ${path}`)
    const code = dialog.getByLabelText('Código de teste')
    await person.click(dialog.getByRole('button', { name: 'Conferir' }))
    dialog.getByText('Informe o código de teste da Meta, como TEST48213.')
    expect(document.activeElement).toBe(code)
    await paste(person, code, 'TEST48213')
    await person.dblClick(dialog.getByRole('button', { name: 'Conferir' }))
    await dialog.findByRole('button', { name: 'Conferindo...' })
    verdict().getByText('Perguntando: a resposta vem em alguns segundos.')
    for (const call of held) call.release()
    await verdict().findByText('A Meta aceitou')
    verdict().getByText('A Meta recebeu o evento de teste.')
    expect(verdict().getByRole('region', { name: 'O que enviamos' }).textContent).toContain(
      'POST https://graph.facebook.com/v26.0/482910377165024/events\n\n{\n  "data": [',
    )
    expect(verdict().getByRole('region', { name: 'O que a Meta respondeu' }).textContent).toContain(
      'HTTP 200\n\n{"events_received":1,"messages":[]}',
    )
    expect(site.callsTo(`POST ${path}`).map(({ body }) => body)).toEqual([{ test_event_code: 'TEST48213' }])
    // The test's code is no part of the pixel.
    await person.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  test.each([
    [
      'refused',
      {
        state: 'refused',
        response: { status: 401, body: '{"error":{"code":190}}' },
        message: 'Gere um novo token.',
      },
      'A Meta recusou',
    ],
    [
      'unstable',
      { state: 'waiting', response: { status: 500, body: '' }, message: 'Tentaremos de novo.' },
      'A Meta não aceitou por enquanto',
    ],
    [
      'silent',
      { state: 'waiting', response: null, message: 'A Meta não respondeu a tempo.' },
      'Sem resposta: a Meta não respondeu',
    ],
  ] as const)('says in plain words that Meta was %s, and what to do', async (_what, check, words) => {
    site.check = makeCheck(check)
    const { person, dialog } = await openForm({ delivery: 'both', ...STORED })
    await paste(person, dialog.getByLabelText('Código de teste'), 'TEST48213')
    await person.click(dialog.getByRole('button', { name: 'Conferir' }))
    await verdict().findByText(words)
    verdict().getByText(check.message)
    expect(verdict().queryByText('A Meta aceitou')).toBeNull()
    expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
  })

  test('shows what Google’s debug endpoint points out, and never that Google accepted', async () => {
    const ga4 = {
      type: 'google_analytics',
      pixel_id: 'G-7XK2M9QTLP',
      delivery: 'server',
      code: generateSnippet('google_analytics', 'G-7XK2M9QTLP'),
    } as const
    site.check = makeCheck({
      state: 'unconfirmed',
      response: { status: 200, body: '{"validationMessages":[]}' },
    })
    const { person, dialog } = await openForm({ ...ga4, ...STORED })
    expect(dialog.queryByLabelText('Código de teste')).toBeNull()
    await person.click(dialog.getByRole('button', { name: 'Conferir' }))
    await verdict().findByText('Enviado, o Google não confirma')
    const message = {
      fieldPath: 'client_id',
      description: 'Measurement requires a client_id.',
      validationCode: 'VALUE_REQUIRED',
    }
    const body = JSON.stringify({ validationMessages: [message] })
    site.check = makeCheck({ state: 'refused', response: { status: 200, body } })
    await person.click(dialog.getByRole('button', { name: 'Conferir' }))
    await verdict().findByText('O Google apontou problemas no evento')
    expect(verdict().getByRole('list', { name: 'O que o Google apontou' }).textContent).toBe(
      'Falta um valor obrigatório. Em client_id.Measurement requires a client_id.',
    )
    expect(verdict().queryByText(/aceitou/)).toBeNull()
    // An answer is its vendor's, and of what was checked.
    await person.type(dialog.getByLabelText('Measurement ID (GA4)'), '2')
    verdict().getByText('Isto é da conferência anterior, sem as mudanças de agora.')
    await person.selectOptions(dialog.getByLabelText('Tipo de Pixel'), 'meta')
    expect(verdict().queryByText(/apontou/)).toBeNull()
  })

  test('without our server says so, and can be asked again', async () => {
    const { person, dialog } = await openForm({ delivery: 'server', ...STORED })
    await paste(person, dialog.getByLabelText('Código de teste'), 'TEST48213')
    site.away = true
    await person.click(dialog.getByRole('button', { name: 'Conferir' }))
    await verdict().findByText('Não deu para conferir o envio.')
    verdict().getByText('Sem resposta do servidor. Verifique sua conexão e tente de novo.')
    site.away = false
    await person.click(dialog.getByRole('button', { name: 'Conferir' }))
    await verdict().findByText('A Meta aceitou')
  })

  test('keeps the working pixel where the vendor refuses what is in the form', async () => {
    site.check = makeCheck({
      state: 'refused',
      response: { status: 401, body: '' },
      message: 'Token errado.',
    })
    const { person, dialog } = await openForm({ delivery: 'server', ...STORED })
    await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
    await paste(person, dialog.getByLabelText('Código de teste'), 'TEST48213')
    await person.click(dialog.getByRole('button', { name: 'Conferir e salvar' }))
    await verdict().findByText('A Meta recusou')
    verdict().getByText('Nada foi salvo: o pixel continua como estava.')
    expect(site.callsTo(PATCH)).toEqual([])
    const draft = { type: 'meta', pixel_id: '482910377165024', access_token: TOKEN }
    expect(site.callsTo('POST /admin/api/pixels/check')[0]?.body).toMatchObject({
      ...draft,
      id: site.pixels[0]?.id,
      test_event_code: 'TEST48213',
    })
    // Whoever saves it all the same has its health told by the vendor's answer at once.
    const id = site.pixels[0]?.id
    await person.click(save())
    await screen.findByText(/^Pixel salvo/)
    await waitFor(() => expect(site.callsTo(`POST /admin/api/pixels/${id}/check`)).toHaveLength(1))
  })

  test('saves what the vendor took, stays open on it, and keeps what is typed meanwhile', async () => {
    const { person, dialog } = await openForm()
    await person.click(dialog.getByRole('radio', { name: 'Servidor' }))
    await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
    const held = site.hold(PATCH)
    await paste(person, dialog.getByLabelText('Código de teste'), 'TEST48213')
    await person.click(dialog.getByRole('button', { name: 'Conferir e salvar' }))
    await waitFor(() => expect(held).toHaveLength(1))
    await person.type(dialog.getByLabelText('Nome do Pixel'), ' 2')
    for (const call of held) call.release()
    await verdict().findByText('A Meta aceitou')
    expect(sent()).toMatchObject({ name: 'Loja', access_token: TOKEN })
    expect((dialog.getByLabelText('Nome do Pixel') as HTMLInputElement).value).toBe('Loja 2')
    expect((dialog.getByLabelText('Token de acesso') as HTMLInputElement).value).toBe('')
    dialog.getByRole('button', { name: 'Conferir e salvar' })
    site.letGo(PATCH)
    await person.click(save())
    await screen.findByText('Pixel salvo: Loja 2')
    expect('access_token' in sent()).toBe(false)
  })

  test('of a new pixel adds it once, and goes on as an edit', async () => {
    const { person } = await openDashboard(site)
    await person.click((await screen.findAllByRole('button', { name: 'Adicionar Pixel' }))[0] as HTMLElement)
    await person.type(await screen.findByLabelText('Nome do Pixel'), 'Nova')
    await person.type(screen.getByLabelText('Pixel ID'), '482910377165024')
    await person.click(screen.getByRole('radio', { name: 'Servidor' }))
    await paste(person, screen.getByLabelText('Token de acesso'), TOKEN)
    await paste(person, screen.getByLabelText('Código de teste'), 'TEST48213')
    await person.dblClick(screen.getByRole('button', { name: 'Conferir e salvar' }))
    await verdict().findByText('A Meta aceitou')
    screen.getByRole('dialog', { name: 'Editar Pixel' })
    expect(site.callsTo('POST /rest/v1/tracking_pixels')).toHaveLength(1)
    await person.type(screen.getByLabelText('Nome do Pixel'), ' 2')
    await person.click(save())
    await screen.findByText('Pixel salvo: Nova 2')
    expect(site.pixels.map(({ name }) => name)).toEqual(['Nova 2'])
  })
})
