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

describe('"Como enviar os dados"', () => {
  test('offers the ways of the type, with explanations', async () => {
    const { person, dialog } = await openForm()
    await dialog.findByText('Recomendado')
    expect(choices()).toEqual([
      expect.stringMatching(/^Pela páginaO script da Meta roda na página/),
      expect.stringMatching(/^Pelo servidorRecomendadoSem script da Meta/),
      expect.stringMatching(/^Pela página e pelo servidor.*a Meta conta uma vez/),
    ])
    expect((dialog.getByRole('radio', { name: 'Pela página' }) as HTMLInputElement).checked).toBe(true)
    const type = dialog.getByLabelText('Tipo de Pixel')
    await person.selectOptions(type, 'google_analytics')
    expect(choices()).toEqual([
      expect.stringMatching(/^Pela páginaO script do Google/),
      expect.stringMatching(/^Pelo servidor.*relatórios ficam incompletos/),
    ])
    await person.selectOptions(type, 'google_tag_manager')
    expect(choices()).toEqual([])
    expect(dialog.queryByText('Como enviar os dados')).toBeNull()
    await person.selectOptions(type, 'custom')
    await person.click(dialog.getByRole('radio', { name: 'Pelo servidor' }))
    dialog.getByLabelText('Endereço do webhook')
    dialog.getByLabelText('Segredo de assinatura')
    expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
  })

  test('by server, says that the code does not run, and predicts nothing about the page', async () => {
    site.preview = { ...site.preview, sends: ['Cada página vista.'] }
    const { person, dialog } = await openForm()
    await dialog.findByText('O que será enviado')
    await person.click(dialog.getByRole('radio', { name: 'Pelo servidor' }))
    dialog.getByText('Com o envio pelo servidor, este código fica salvo, mas não roda na página.')
    expect(dialog.queryByText('O que será enviado')).toBeNull()
    await person.click(dialog.getByRole('radio', { name: 'Pela página e pelo servidor' }))
    dialog.getByText('O que será enviado')
  })
})

describe('the token', () => {
  test('is required, hidden from password managers, sent once and never shown again', async () => {
    const { person, dialog } = await openForm()
    await person.click(dialog.getByRole('radio', { name: 'Pelo servidor' }))
    await person.click(save())
    await dialog.findByText('Preencha o campo "Token de acesso".')
    expect(site.callsTo(PATCH)).toEqual([])
    const field = dialog.getByLabelText('Token de acesso')
    expect([field.getAttribute('autocomplete'), field.getAttribute('type')]).toEqual(['off', 'text'])
    await person.type(field, 'EAAG com espaço')
    await person.click(save())
    await dialog.findByText('O valor parece incompleto. Copie de novo, sem espaços nem aspas.')
    await person.clear(field)
    await paste(person, field, TOKEN)
    await person.click(save())
    await screen.findByText('Pixel salvo: Loja')
    expect(sent()).toMatchObject({ delivery: 'server', access_token: TOKEN })
    await person.click(screen.getByRole('button', { name: 'Editar: Loja' }))
    const again = await screen.findByLabelText('Token de acesso')
    expect((again as HTMLInputElement).value).toBe('')
    screen.getByText(/^Salvo em 15\/11\/2026.*, criptografado\. Para alterar, cole outro\./)
    expect(document.body.innerHTML).not.toContain(TOKEN)
  })

  test('survives other edits, and is replaced by typing', async () => {
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

  test("sends subscribers' addresses only on request, and never from the browser", async () => {
    const { person, dialog } = await openForm({ delivery: 'both', ...STORED })
    const box = dialog.getByRole('checkbox', { name: /Enviar o e-mail, protegido por hash/ })
    expect((box as HTMLInputElement).checked).toBe(false)
    await person.click(box)
    await person.click(save())
    await waitFor(() => expect(sent()).toMatchObject({ delivery: 'both', send_hashed_email: true }))
    await person.click(screen.getByRole('button', { name: 'Editar: Loja' }))
    const again = within(await screen.findByRole('dialog'))
    expect((again.getByRole('checkbox', { name: /protegido por hash/ }) as HTMLInputElement).checked).toBe(
      true,
    )
    await person.click(again.getByRole('radio', { name: 'Pela página' }))
    expect(again.queryByRole('checkbox', { name: /protegido por hash/ })).toBeNull()
  })

  test('is removed only by a click once the browser sends, and can be kept until saving', async () => {
    const { person, dialog } = await openForm({ delivery: 'server', ...STORED })
    expect(dialog.queryByRole('button', { name: 'Remover: Token de acesso' })).toBeNull()
    await person.click(dialog.getByRole('radio', { name: 'Pela página' }))
    dialog.getByText(/^Salvo em 15\/11\/2026.* Não é usado nesta forma de envio\.$/)
    await person.click(dialog.getByRole('button', { name: 'Remover: Token de acesso' }))
    dialog.getByText('Será removido ao salvar.')
    await person.click(dialog.getByRole('button', { name: 'Manter: Token de acesso' }))
    await person.click(dialog.getByRole('button', { name: 'Remover: Token de acesso' }))
    await person.click(save())
    await screen.findByText('Pixel salvo: Loja')
    expect(sent()).toMatchObject({ delivery: 'browser', access_token: null })
    expect(site.pixels[0]?.has_access_token).toBe(false)
  })

  test('stays with its type while another type is shown', async () => {
    const { person, dialog } = await openForm()
    await person.click(dialog.getByRole('radio', { name: 'Pela página e pelo servidor' }))
    await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
    const type = dialog.getByLabelText('Tipo de Pixel')
    await person.selectOptions(type, 'custom')
    expect(dialog.queryByLabelText('Segredo de assinatura')).toBeNull()
    await person.selectOptions(type, 'meta')
    expect((dialog.getByLabelText('Token de acesso') as HTMLInputElement).value).toBe(TOKEN)
    expect(
      (dialog.getByRole('radio', { name: 'Pela página e pelo servidor' }) as HTMLInputElement).checked,
    ).toBe(true)
  })
})

test("shows the server's refusal at its field, and keeps everything typed", async () => {
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
  // A refusal without a field is shown at the choice.
  await paste(person, field, TOKEN)
  await person.click(save())
  await waitFor(() => expect(dialog.getByRole('alert').textContent).toBe(message))
  expect(dialog.getByRole('group', { name: 'Como enviar os dados' }).textContent).toContain(message)
  expect((dialog.getByLabelText('Nome do Pixel') as HTMLInputElement).value).toBe('Loja 2')
  expect((field as HTMLInputElement).value).toBe(TOKEN)
  expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
})

test('counts a typed token as unsaved, and keeps it in a conflict', async () => {
  const { person, dialog } = await openForm({ delivery: 'server', ...STORED })
  await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
  await person.keyboard('{Escape}')
  const question = await screen.findByRole('alertdialog', { name: 'Descartar as alterações?' })
  await person.click(within(question).getByRole('button', { name: 'Continuar editando' }))
  Object.assign(site.pixels[0] as Pixel, { name: 'Outra', updated_at: NOW })
  await person.click(save())
  await screen.findByText('Este pixel foi alterado depois que você abriu o formulário.')
  expect((dialog.getByLabelText('Token de acesso') as HTMLInputElement).value).toBe(TOKEN)
  await person.click(screen.getByRole('button', { name: 'Salvar a minha versão' }))
  await screen.findByText('Pixel salvo: Loja')
  expect(sent()).toMatchObject({ access_token: TOKEN, name: 'Loja' })
})

describe('"Enviar teste"', () => {
  const verdict = () => within(screen.getByRole('region', { name: 'Teste de envio' }))

  test('sends one test event of the saved pixel, and shows payload and answer exactly', async () => {
    const { person, dialog } = await openForm({ delivery: 'server', ...STORED })
    const path = `/admin/api/pixels/${site.pixels[0]?.id}/check`
    const held = site.hold(`POST ${path}`)
    const code = dialog.getByLabelText('Código de teste da Meta')
    await person.click(dialog.getByRole('button', { name: 'Enviar teste' }))
    dialog.getByText('Digite o código de teste da Meta, como TEST48213.')
    expect(document.activeElement).toBe(code)
    await paste(person, code, 'TEST48213')
    await person.dblClick(dialog.getByRole('button', { name: 'Enviar teste' }))
    await dialog.findByRole('button', { name: 'Enviando teste...' })
    verdict().getByText('Aguardando a resposta. Leva alguns segundos.')
    for (const call of held) call.release()
    await verdict().findByText('A Meta aceitou o teste')
    verdict().getByText('A Meta recebeu o evento de teste.')
    expect(verdict().getByRole('region', { name: 'O que enviamos' }).textContent).toContain(
      'POST https://graph.facebook.com/v26.0/482910377165024/events\n\n{\n  "data": [',
    )
    expect(verdict().getByRole('region', { name: 'O que a Meta respondeu' }).textContent).toContain(
      'HTTP 200\n\n{"events_received":1,"messages":[]}',
    )
    expect(site.callsTo(`POST ${path}`).map(({ body }) => body)).toEqual([{ test_event_code: 'TEST48213' }])
    // The test code is not part of the pixel.
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
      'A Meta recusou o teste',
    ],
    [
      'unstable',
      { state: 'waiting', response: { status: 500, body: '' }, message: 'Tentaremos de novo.' },
      'A Meta não aceitou o teste por enquanto',
    ],
    [
      'silent',
      {
        state: 'waiting',
        response: null,
        message: 'A Meta não respondeu a tempo.',
      },
      'A Meta não respondeu',
    ],
  ] as const)('says in plain words that Meta was %s, and what to do', async (_what, check, words) => {
    site.check = makeCheck(check)
    const { person, dialog } = await openForm({ delivery: 'both', ...STORED })
    await paste(person, dialog.getByLabelText('Código de teste da Meta'), 'TEST48213')
    await person.click(dialog.getByRole('button', { name: 'Enviar teste' }))
    await verdict().findByText(words)
    verdict().getByText(check.message)
    expect(verdict().queryByText('A Meta aceitou o teste')).toBeNull()
    expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
  })

  test('shows findings of Google’s debug endpoint, and never that Google accepted', async () => {
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
    expect(dialog.queryByLabelText('Código de teste da Meta')).toBeNull()
    await person.click(dialog.getByRole('button', { name: 'Enviar teste' }))
    await verdict().findByText('Teste enviado, mas o Google não confirma o recebimento')
    const message = {
      fieldPath: 'client_id',
      description: 'Measurement requires a client_id.',
      validationCode: 'VALUE_REQUIRED',
    }
    const body = JSON.stringify({ validationMessages: [message] })
    site.check = makeCheck({ state: 'refused', response: { status: 200, body } })
    await person.click(dialog.getByRole('button', { name: 'Enviar teste' }))
    await verdict().findByText('O Google encontrou problemas no evento')
    expect(verdict().getByRole('list', { name: 'Problemas apontados pelo Google' }).textContent).toBe(
      'Falta um valor obrigatório. Campo: client_id.Measurement requires a client_id.',
    )
    expect(verdict().queryByText(/aceitou/)).toBeNull()
    // An answer belongs to its vendor and to what was checked.
    await person.type(dialog.getByLabelText('Measurement ID (GA4)'), '2')
    verdict().getByText('Este resultado é do teste anterior, sem as alterações atuais.')
    await person.selectOptions(dialog.getByLabelText('Tipo de Pixel'), 'meta')
    expect(verdict().queryByText(/encontrou problemas/)).toBeNull()
  })

  test('reports a missing response, and can be retried', async () => {
    const { person, dialog } = await openForm({ delivery: 'server', ...STORED })
    await paste(person, dialog.getByLabelText('Código de teste da Meta'), 'TEST48213')
    site.away = true
    await person.click(dialog.getByRole('button', { name: 'Enviar teste' }))
    await verdict().findByText('Não foi possível enviar o teste.')
    verdict().getByText('Sem resposta do servidor. Verifique sua conexão e tente novamente.')
    site.away = false
    await person.click(dialog.getByRole('button', { name: 'Enviar teste' }))
    await verdict().findByText('A Meta aceitou o teste')
  })

  test("keeps the working pixel if the vendor refuses the form's values", async () => {
    site.check = makeCheck({
      state: 'refused',
      response: { status: 401, body: '' },
      message: 'Token errado.',
    })
    const { person, dialog } = await openForm({ delivery: 'server', ...STORED })
    await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
    await paste(person, dialog.getByLabelText('Código de teste da Meta'), 'TEST48213')
    await person.click(dialog.getByRole('button', { name: 'Enviar teste e salvar' }))
    await verdict().findByText('A Meta recusou o teste')
    verdict().getByText('Nada foi salvo: o pixel continua como estava.')
    expect(site.callsTo(PATCH)).toEqual([])
    const draft = { type: 'meta', pixel_id: '482910377165024', access_token: TOKEN }
    expect(site.callsTo('POST /admin/api/pixels/check')[0]?.body).toMatchObject({
      ...draft,
      id: site.pixels[0]?.id,
      test_event_code: 'TEST48213',
    })
    // Saving anyway updates its health with the vendor's answer.
    const id = site.pixels[0]?.id
    await person.click(save())
    await screen.findByText(/^Pixel salvo/)
    await waitFor(() => expect(site.callsTo(`POST /admin/api/pixels/${id}/check`)).toHaveLength(1))
  })

  test('saves what the vendor accepted, stays open, and keeps what is typed meanwhile', async () => {
    const { person, dialog } = await openForm()
    await person.click(dialog.getByRole('radio', { name: 'Pelo servidor' }))
    await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
    const held = site.hold(PATCH)
    await paste(person, dialog.getByLabelText('Código de teste da Meta'), 'TEST48213')
    await person.click(dialog.getByRole('button', { name: 'Enviar teste e salvar' }))
    await waitFor(() => expect(held).toHaveLength(1))
    await person.type(dialog.getByLabelText('Nome do Pixel'), ' 2')
    for (const call of held) call.release()
    await verdict().findByText('A Meta aceitou o teste')
    expect(sent()).toMatchObject({ name: 'Loja', access_token: TOKEN })
    expect((dialog.getByLabelText('Nome do Pixel') as HTMLInputElement).value).toBe('Loja 2')
    expect((dialog.getByLabelText('Token de acesso') as HTMLInputElement).value).toBe('')
    dialog.getByRole('button', { name: 'Enviar teste e salvar' })
    site.letGo(PATCH)
    await person.click(save())
    await screen.findByText('Pixel salvo: Loja 2')
    expect('access_token' in sent()).toBe(false)
  })

  test('adds a new pixel once, and continues as an edit', async () => {
    const { person } = await openDashboard(site)
    await person.click((await screen.findAllByRole('button', { name: 'Adicionar Pixel' }))[0] as HTMLElement)
    await person.type(await screen.findByLabelText('Nome do Pixel'), 'Nova')
    await person.type(screen.getByLabelText('Pixel ID'), '482910377165024')
    await person.click(screen.getByRole('radio', { name: 'Pelo servidor' }))
    await paste(person, screen.getByLabelText('Token de acesso'), TOKEN)
    await paste(person, screen.getByLabelText('Código de teste da Meta'), 'TEST48213')
    await person.dblClick(screen.getByRole('button', { name: 'Enviar teste e salvar' }))
    await verdict().findByText('A Meta aceitou o teste')
    screen.getByRole('dialog', { name: 'Editar Pixel' })
    expect(site.callsTo('POST /rest/v1/tracking_pixels')).toHaveLength(1)
    await person.type(screen.getByLabelText('Nome do Pixel'), ' 2')
    await person.click(save())
    await screen.findByText('Pixel salvo: Nova 2')
    expect(site.pixels.map(({ name }) => name)).toEqual(['Nova 2'])
  })
})
