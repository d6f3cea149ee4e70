import { screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Pixel } from '#contract/pixel.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makeCheck } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const PATCH = 'PATCH /rest/v1/tracking_pixels'
const TOKEN = 'good-token-of-a-vendor'
const STORED = { has_access_token: true, access_token_stored_at: '2026-11-15T11:00:00.000Z' }
const PLATFORM = 'Plataforma que recebe pelo servidor'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

async function openForm(pixel: Partial<Pixel> = {}) {
  site.addPixel('Loja', { health: 'waiting' }, { type: 'custom', pixel_id: null, code: '<b></b>', ...pixel })
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Loja' }))
  const dialog = within(await screen.findByRole('dialog'))
  return { person, dialog }
}

function recognise(vendor: string, name: string) {
  site.preview = {
    ...site.preview,
    recognised: {
      vendor,
      name,
      id: null,
      id_label: null,
      type: 'custom',
      category: 'marketing',
      code: null,
      advice: null,
    },
  }
}

async function paste(person: UserEvent, field: HTMLElement, text: string) {
  await person.click(field)
  await person.paste(text)
}

const sent = () => site.callsTo(PATCH).at(-1)?.body as Record<string, unknown>
const save = () => screen.getByRole('button', { name: 'Salvar' })
const names = (dialog: ReturnType<typeof within>) =>
  dialog.getByRole('region', { name: 'O que vai, e com que nome' }).textContent

describe('"Envio" of a custom pixel', () => {
  test('suggests the platform of the code, asks for what it needs, and stores it', async () => {
    recognise('tiktok-pixel', 'TikTok Pixel')
    const { person, dialog } = await openForm()
    const platform = (await dialog.findByLabelText(PLATFORM)) as HTMLSelectElement
    await waitFor(() => expect(platform.value).toBe('tiktok'))
    expect([...platform.options].map(({ text }) => text)).toEqual([
      'Meu sistema (webhook)',
      'TikTok',
      'Google Ads',
      'Pinterest',
      'LinkedIn',
    ])
    dialog.getByText('Sugerida porque reconhecemos o código: TikTok.')
    await person.click(dialog.getByRole('radio', { name: 'Pelo servidor' }))
    expect(names(dialog)).toBe(
      'O que vai, e com que nomeVisualização de páginaPageviewClique em "Abrir Conta"LeadClique em "Falar com Especialista"ContactInscrição na newsletterCompleteRegistration',
    )
    expect(dialog.getByText(/^Só de quem aceitou/).textContent).toContain('Marketing')
    expect(dialog.queryByLabelText('Endereço do webhook')).toBeNull()
    await person.click(save())
    await dialog.findByText(/informe o ID do pixel do TikTok, como C1ABCDEF2GHIJKLMNOP0/)
    await paste(person, dialog.getByLabelText('ID do pixel do TikTok'), 'C1ABCDEF2GHIJKLMNOP0')
    await person.click(save())
    await dialog.findByText('Preencha o campo "Token de acesso".')
    await paste(person, dialog.getByLabelText('Token de acesso'), 'com espaço')
    await person.click(save())
    await dialog.findByText('O texto colado não parece completo. Copie de novo, sem espaços nem aspas.')
    await person.clear(dialog.getByLabelText('Token de acesso'))
    await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
    expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
    await person.click(save())
    await screen.findByText('Pixel salvo: Loja')
    expect(sent()).toMatchObject({
      type: 'custom',
      delivery: 'server',
      destination: 'tiktok',
      destination_account: 'C1ABCDEF2GHIJKLMNOP0',
      event_ids: null,
      webhook_url: null,
      access_token: TOKEN,
    })
  })

  test('offers both ways only where the vendor merges duplicates', async () => {
    const { person, dialog } = await openForm()
    const platform = await dialog.findByLabelText(PLATFORM)
    const ways = () => dialog.getAllByRole('radio').map((radio) => (radio as HTMLInputElement).value)
    for (const [id, both] of [
      ['webhook', false],
      ['tiktok', true],
      ['google_ads', false],
      ['pinterest', true],
      ['linkedin', true],
    ] as const) {
      await person.selectOptions(platform, id)
      expect([id, ways().includes('both')]).toEqual([id, both])
    }
  })

  test('asks for a number of each conversion, and sends none without one', async () => {
    const { person, dialog } = await openForm()
    await person.selectOptions(await dialog.findByLabelText(PLATFORM), 'linkedin')
    await person.click(dialog.getByRole('radio', { name: 'Pelo servidor' }))
    expect(names(dialog)).toContain('No LinkedIn cada conversão tem um número.')
    await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
    await person.click(save())
    const lead = dialog.getByLabelText('Número da regra de conversão: Clique em "Abrir Conta"')
    await waitFor(() => expect(lead.getAttribute('aria-invalid')).toBe('true'))
    await paste(person, lead, '104012')
    expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
    await person.click(save())
    await screen.findByText('Pixel salvo: Loja')
    expect(sent()).toMatchObject({ destination: 'linkedin', event_ids: { lead: '104012' } })
  })

  test('keeps the token of a stored platform, and not for another one', async () => {
    const { person, dialog } = await openForm({
      delivery: 'server',
      destination: 'pinterest',
      destination_account: '549755885175',
      ...STORED,
    })
    const account = (await dialog.findByLabelText('ID da conta de anúncios')) as HTMLInputElement
    expect(account.value).toBe('549755885175')
    expect(dialog.getByLabelText('Token de conversão').getAttribute('placeholder')).toBe('•••••••• (salvo)')
    await person.type(dialog.getByLabelText('Nome do Pixel'), ' 2')
    await person.click(save())
    await screen.findByText('Pixel salvo: Loja 2')
    expect(sent()).toMatchObject({ destination: 'pinterest', destination_account: '549755885175' })
    expect('access_token' in sent()).toBe(false)
    await person.click(screen.getByRole('button', { name: 'Editar: Loja 2' }))
    const again = within(await screen.findByRole('dialog'))
    await person.selectOptions(await again.findByLabelText(PLATFORM), 'webhook')
    await paste(person, again.getByLabelText('Endereço do webhook'), 'https://hooks.exemplo.com.br/')
    await person.click(save())
    await again.findByText('Preencha o campo "Segredo de assinatura".')
  })

  test('changes nothing about the sending while the platforms are not known, and asks again', async () => {
    site.refuse('GET /admin/api/destinations', 500)
    const { person, dialog } = await openForm({ delivery: 'server', destination: 'pinterest', ...STORED })
    await dialog.findByText('Não foi possível carregar as plataformas.', undefined, { timeout: 5_000 })
    expect(dialog.queryByText('Como enviar os dados')).toBeNull()
    await person.type(dialog.getByLabelText('Nome do Pixel'), ' 2')
    await person.click(save())
    await screen.findByText('Pixel salvo: Loja 2')
    expect(Object.keys(sent())).not.toContain('delivery')
    expect(Object.keys(sent())).not.toContain('destination')
  })
})

describe('"Conferir"', () => {
  const verdict = () => within(screen.getByRole('region', { name: 'Teste de envio' }))
  const PINTEREST = {
    delivery: 'server',
    destination: 'pinterest',
    destination_account: '549755885175',
    ...STORED,
  } as const

  test.each([
    ['accepted', { status: 200, body: '{}' }, 'O Pinterest aceitou o teste'],
    ['refused', { status: 401, body: '{"code":2}' }, 'O Pinterest recusou o teste'],
    ['waiting', { status: 503, body: '' }, 'O Pinterest não aceitou o teste por enquanto'],
    ['waiting', null, 'O Pinterest não respondeu'],
  ] as const)('names the vendor: %s', async (state, response, words) => {
    site.check = makeCheck({ state, response, message: 'O que fazer.' })
    const { person, dialog } = await openForm(PINTEREST)
    await person.click(await dialog.findByRole('button', { name: 'Enviar teste' }))
    await verdict().findByText(words)
    verdict().getByText('O que fazer.')
    expect(await findComponentFaults(screen.getByRole('dialog'))).toEqual([])
  })

  test('asks TikTok’s test code of the person, and sends the unsaved form', async () => {
    site.check = makeCheck({ state: 'refused', response: { status: 200, body: '{"code":40105}' } })
    const { person, dialog } = await openForm()
    await person.selectOptions(await dialog.findByLabelText(PLATFORM), 'tiktok')
    await person.click(dialog.getByRole('radio', { name: 'Pelo servidor' }))
    await paste(person, dialog.getByLabelText('ID do pixel do TikTok'), 'C1ABCDEF2GHIJKLMNOP0')
    await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
    await person.click(dialog.getByRole('button', { name: 'Enviar teste e salvar' }))
    dialog.getByText(/^Informe o código de teste/)
    await paste(person, dialog.getByLabelText('Código de teste do TikTok'), 'TEST90417')
    await person.click(dialog.getByRole('button', { name: 'Enviar teste e salvar' }))
    await verdict().findByText('O TikTok recusou o teste')
    expect(site.callsTo('POST /admin/api/pixels/check').at(-1)?.body).toMatchObject({
      type: 'custom',
      destination: 'tiktok',
      destination_account: 'C1ABCDEF2GHIJKLMNOP0',
      access_token: TOKEN,
      test_event_code: 'TEST90417',
    })
    // The answer belongs to this platform.
    await person.selectOptions(dialog.getByLabelText(PLATFORM), 'pinterest')
    expect(verdict().queryByText('O TikTok recusou o teste')).toBeNull()
  })

  test('says that nothing was sent where the vendor has no test mode', async () => {
    site.check = makeCheck({
      state: 'unconfirmed',
      checked_here: true,
      response: null,
      message: 'Nada é enviado.',
    })
    const { person, dialog } = await openForm({
      delivery: 'server',
      destination: 'linkedin',
      event_ids: { lead: '104012' },
      ...STORED,
    })
    await person.click(await dialog.findByRole('button', { name: 'Conferir' }))
    await verdict().findByText('O formato está certo')
    verdict().getByRole('region', { name: 'O que enviaríamos' })
    expect(verdict().queryByRole('region', { name: /respondeu/ })).toBeNull()
    expect(verdict().queryByText(/não respondeu|O que enviamos/)).toBeNull()
  })
})

test('stays open with its platform after what was checked is saved', async () => {
  site.check = makeCheck({ state: 'unconfirmed', checked_here: true, response: null, message: 'Certo.' })
  const { person, dialog } = await openForm()
  await person.selectOptions(await dialog.findByLabelText(PLATFORM), 'linkedin')
  await person.click(dialog.getByRole('radio', { name: 'Pelo servidor' }))
  await paste(person, dialog.getByLabelText('Token de acesso'), TOKEN)
  await paste(person, dialog.getByLabelText(/^Número da regra de conversão: Clique em "Abrir/), '104012')
  await person.click(dialog.getByRole('button', { name: 'Conferir e salvar' }))
  await screen.findByText('Pixel salvo: Loja')
  await dialog.findByRole('button', { name: 'Conferir' })
  const lead = dialog.getByLabelText(/^Número da regra de conversão: Clique em "Abrir/) as HTMLInputElement
  expect(lead.value).toBe('104012')
  dialog.getByText('O formato está certo')
})

test('the pixel’s page names the platform', async () => {
  site.deliveries = {
    ...site.deliveries,
    refusals: [{ reason: '40002', message: 'O TikTok recusou o formato do evento.', count: 3 }],
  }
  site.addPixel(
    'Loja',
    { health: 'waiting' },
    { type: 'custom', pixel_id: null, delivery: 'server', destination: 'tiktok', ...STORED },
  )
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('link', { name: 'Loja' }))
  await screen.findByText('Recusas do TikTok nos últimos 30 dias')
  screen.getByText(/^TikTok\. Pelo servidor\. Token de acesso: salvo em/)
})
