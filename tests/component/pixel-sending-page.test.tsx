import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { PixelDeliveries } from '#contract/conversions.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { VisitResultRow } from '#contract/visit-results.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makeDeliveries, NOW } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

type LoggedDelivery = PixelDeliveries['deliveries'][number]
const NONE = { accepted: 0, unconfirmed: 0, refused: 0, waiting: 0, expired: 0, withheld: 0 }
const STORED = { has_access_token: true, access_token_stored_at: '2026-11-15T11:00:00.000Z' }
const STOP = {
  code: 'token_refused',
  message: 'A Meta recusou o token. Gere um novo token no Gerenciador de Eventos e salve no pixel.',
  since: '2026-11-15T10:00:00.000Z',
}

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

/** The server has been sending for the last hour, and not before. */
function setCopies(copies: Partial<typeof NONE>) {
  const visits = { offered: 9, not_consented: 2, blocked: 3, failed: 0, reached: 4 }
  const parts = { ...NONE, ...copies }
  const events = Object.values(parts).reduce((sum, count) => sum + count)
  const rows: VisitResultRow[] = [
    { from: '2026-11-15T10:00:00.000Z', ...visits },
    { from: '2026-11-15T11:00:00.000Z', ...visits, ...parts, events },
  ]
  site.ledger = (step) => ({ step, from: '', to: NOW, rows })
}

const delivery = (change: Partial<LoggedDelivery>): LoggedDelivery => ({
  id: crypto.randomUUID(),
  at: '2026-11-15T11:30:00.000Z',
  event: 'lead',
  outcome_label: null,
  state: 'accepted',
  attempts: 1,
  answer: 'HTTP 200',
  message: 'A Meta recebeu.',
  ...change,
})

async function openPage(pixel: Partial<Pixel>, health: 'working' | 'broken' = 'working') {
  const { id } = site.addPixel('Loja', { health, confirmed: true }, pixel)
  const { person } = await openDashboard(site, { path: `/admin/pixels/${id}` })
  await screen.findByRole('heading', { name: 'Loja', level: 2 })
  return { id, person }
}
const card = async () => within(await screen.findByRole('region', { name: 'Envio pelo servidor' }))
const health = () => screen.getByRole('region', { name: 'Funcionamento do pixel' }).textContent

test('counts server events beside visits, in sentence, chart and table, with their own total', async () => {
  setCopies({ accepted: 1_377, refused: 9, waiting: 2, expired: 1, withheld: 1 })
  const { person } = await openPage({ delivery: 'both', ...STORED })
  await waitFor(() =>
    expect(health()).toContain(
      'em 6 foi bloqueada por bloqueadores de anúncios ou pela rede. Envio pelo servidor: a Meta aceitou 1.377 e recusou 9; 2 estão na fila, 1 expirou e 1 não foi enviado (consentimento retirado ou evento desligado).',
    ),
  )
  const visits = within(await screen.findByRole('region', { name: 'Visitas por resultado' }))
  await person.click(visits.getByRole('button', { name: 'Envios pelo servidor' }))
  const ledger = within(screen.getByRole('region', { name: 'Envios pelo servidor por resultado' }))
  const chart = ledger.getByRole('slider', { name: 'Envios pelo servidor por hora' })
  expect(chart.getAttribute('aria-valuetext')).toBe(
    'domingo, 15/11, 08h. Total de envios: 1.390. Aceito: 1.377, Na fila: 2, Recusado: 9, Expirado: 1, Não enviado: 1.',
  )
  expect(ledger.getAllByRole('definition').map((cell) => cell.textContent)).toEqual([
    '1',
    'menos de 1%',
    '1',
    'menos de 1%',
    '9',
    'menos de 1%',
    '2',
    'menos de 1%',
    '1.377',
    'mais de 99%',
    '1.390',
  ])
  await person.click(ledger.getByRole('button', { name: 'Tabela' }))
  const rows = ledger.getAllByRole('row').map((row) => row.textContent)
  expect(rows[1]).toBe('domingo, 15/11, 08h1.3772911' + '1.390')
  // Not set to send differs from zero.
  expect(rows[2]).toBe(`domingo, 15/11, 07h${'sem dados'.repeat(6)}`)
  expect(rows[3]).toBe('Total1.3772911' + '1.390')
})

test('by server only, shows server events first and nothing about browsers, and never calls GA4 accepted', async () => {
  setCopies({ unconfirmed: 120 })
  const rows = site.ledger('hour').rows.map((row) => ({ ...row, offered: 2, blocked: 0, reached: 0 }))
  site.ledger = (step) => ({ step, from: '', to: NOW, rows })
  await openPage({ type: 'google_analytics', delivery: 'server', ...STORED })
  await waitFor(() =>
    expect(health()).toBe(
      'Funcionando. Envio pelo servidor: 120 foram enviados; o Google não confirma o recebimento.',
    ),
  )
  const ledger = within(await screen.findByRole('region', { name: 'Envios pelo servidor por resultado' }))
  expect(ledger.queryByText('Aceito')).toBeNull()
  ledger.getByText(/^O Google não confirma o recebimento/)
  expect(screen.queryByRole('region', { name: 'Conversões' })).toBeNull()
  screen.getByText('Com o envio pelo servidor, o código fica salvo, mas não roda na página.')
  screen.getByRole('button', { name: 'Testar agora' })
})

test('shows nothing about servers for a browser pixel', async () => {
  await openPage({})
  await screen.findByRole('region', { name: 'Conversões' })
  expect(screen.queryByRole('region', { name: 'Envio pelo servidor' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Envios pelo servidor' })).toBeNull()
  expect(site.calls.filter(({ path }) => path.endsWith('/deliveries'))).toEqual([])
})

test('lists the last deliveries with answers and refusals by reason, and retries waiting ones', async () => {
  site.deliveries = makeDeliveries({
    waiting: 3,
    next_attempt_at: '2026-11-15T12:05:00.000Z',
    refusals: [
      {
        reason: '100/2804003',
        message: 'O evento tem mais de 7 dias, e a Meta não aceita mais.',
        count: 1_204,
      },
    ],
    deliveries: [
      delivery({
        state: 'waiting',
        attempts: 2,
        answer: 'ETIMEDOUT',
        message: 'A Meta está instável. Vamos tentar de novo.',
      }),
      delivery({}),
      delivery({
        state: 'withheld',
        event: 'page_view',
        answer: '',
        message: 'O visitante retirou o consentimento.',
      }),
      delivery({ event: 'outcome:primeira_venda', outcome_label: 'Primeira venda' }),
    ],
  })
  const { id, person } = await openPage({ delivery: 'server', ...STORED })
  const sending = await card()
  const items = (await sending.findAllByRole('listitem')).map((item) => item.textContent)
  expect(items).toEqual([
    'O evento tem mais de 7 dias, e a Meta não aceita mais. 100/28040031.204',
    expect.stringMatching(/^Clique em "Abrir Conta".* · tentativa 2Na filaA Meta está instável.*ETIMEDOUT$/),
    expect.stringMatching(/^Clique em "Abrir Conta".*AceitoA Meta recebeu\.HTTP 200$/),
    expect.stringMatching(/^Visualização de página.*Não enviado/),
    expect.stringMatching(/^Primeira venda.*AceitoA Meta recebeu\.HTTP 200$/),
  ])
  sending.getByText(/^Pelo servidor\. Token de acesso: salvo em 15\/11\/2026/)
  sending.getByText('3 eventos na fila.')
  await person.dblClick(sending.getByRole('button', { name: 'Tentar agora' }))
  await screen.findByText('Tentando enviar de novo: 3 eventos na fila')
  expect(site.callsTo(`POST /admin/api/pixels/${id}/deliveries/retry`)).toHaveLength(1)
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})

const GOOGLE_ADS = { type: 'custom', destination: 'google_ads', delivery: 'server', ...STORED } as const

test.each([
  [
    { confirmed: 58, refused: 0, unanswered: 0 },
    'O Google confirmou 58 de 58 eventos (100%) nos últimos 30 dias.',
    'A conta não inclui eventos que o Google ainda não conferiu.',
  ],
  [
    { confirmed: 1_200, refused: 2, unanswered: 1 },
    'O Google confirmou 1.200 de 1.203 eventos (mais de 99%) nos últimos 30 dias.',
    '2 recusados e 1 sem resposta. A conta não inclui eventos que o Google ainda não conferiu.',
  ],
  [
    { confirmed: 0, refused: 1, unanswered: 0 },
    'O Google confirmou 0 de 1 evento (0%) nos últimos 30 dias.',
    '1 recusado. A conta não inclui eventos que o Google ainda não conferiu.',
  ],
])('says what the platform confirmed later: %o', async (confirmations, sentence, rest) => {
  site.deliveries = makeDeliveries({ confirmations })
  await openPage(GOOGLE_ADS)
  const sending = await card()
  expect((await sending.findByText(sentence)).textContent).toBe(sentence)
  sending.getByText(rest)
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})

test('says nothing about confirmations before the platform was asked', async () => {
  site.deliveries = makeDeliveries({ deliveries: [delivery({ state: 'unconfirmed' })] })
  await openPage(GOOGLE_ADS)
  const sending = await card()
  await sending.findByText('Últimos envios e respostas')
  expect(sending.queryByText(/confirmou/)).toBeNull()
})

test('shows a refused token in list and page with waiting events, and leads to the token', async () => {
  site.deliveries = makeDeliveries({
    waiting: 12,
    first_expires_at: '2026-11-16T13:00:00.000Z',
    stopped: STOP,
  })
  const { id } = site.addPixel(
    'Loja',
    {
      health: 'broken',
      reasons: [{ code: STOP.code, message: STOP.message, action: { kind: 'edit', label: 'Alterar token' } }],
    },
    { delivery: 'server', ...STORED },
  )
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Alterar token' }))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Token de acesso')))
  await person.keyboard('{Escape}')
  await person.click(screen.getByRole('link', { name: 'Loja' }))
  const sending = await card()
  const box = await sending.findByRole('note')
  expect(box.textContent).toMatch(
    /^A Meta recusou o token\. Gere um novo.*Envio parado desde 15\/11\/2026.*12 eventos na fila\. O primeiro expira em 16\/11\/2026, 10:00\. A cada hora, tentamos enviar um deles\./,
  )
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
  await person.click(within(box).getByRole('button', { name: 'Alterar token' }))
  await person.click(await screen.findByLabelText('Token de acesso'))
  await person.paste('EAAG0123456789secretTOKEN')
  site.deliveries = makeDeliveries({ waiting: 12, next_attempt_at: NOW })
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await sending.findByText('12 eventos na fila.')
  expect(sending.queryByRole('note')).toBeNull()
  expect(site.pixels.find((pixel) => pixel.id === id)?.has_access_token).toBe(true)
})

test('reports that nothing was sent yet, and a missing response', async () => {
  site.refuse('GET /admin/api/pixels/*/deliveries', 500)
  const { person } = await openPage({ delivery: 'server', ...STORED })
  const sending = await card()
  await sending.findByText('Não foi possível carregar os envios.')
  site.answer('GET /admin/api/pixels/*/deliveries', () => site.deliveries)
  await person.click(sending.getByRole('button', { name: 'Tentar novamente' }))
  await sending.findByText(/^Nenhum envio ainda\./)
})

test.each([
  ['tiktok', '"Aceito" e "Recusado" são respostas do TikTok.'],
  ['google_ads', 'O Google só confirma depois: "Enviado" conta o que saiu do nosso servidor.'],
  [null, '"Aceito" e "Recusado" são respostas do seu webhook.'],
])('says whose answers the results of a custom pixel are: %s', async (destination, text) => {
  setCopies({ accepted: 3 })
  await openPage({ type: 'custom', delivery: 'server', destination, ...STORED })
  const results = await screen.findByRole('region', { name: 'Envios pelo servidor por resultado' })
  await within(results).findByText(text)
})
