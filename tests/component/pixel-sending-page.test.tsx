import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { PixelDeliveries } from '#contract/conversions.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { LedgerRow } from '#contract/visit-results.ts'
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

/** The server sends since the last hour; in the one before it was not set to. */
function setCopies(copies: Partial<typeof NONE>) {
  const visits = { offered: 9, not_consented: 2, blocked: 3, failed: 0, reached: 4 }
  const parts = { ...NONE, ...copies }
  const events = Object.values(parts).reduce((sum, count) => sum + count)
  const rows: LedgerRow[] = [
    { from: '2026-11-15T10:00:00.000Z', ...visits },
    { from: '2026-11-15T11:00:00.000Z', ...visits, ...parts, events },
  ]
  site.ledger = (step) => ({ step, from: '', to: NOW, rows })
}

const delivery = (change: Partial<LoggedDelivery>): LoggedDelivery => ({
  id: crypto.randomUUID(),
  at: '2026-11-15T11:30:00.000Z',
  event: 'lead',
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
const health = () => screen.getByRole('region', { name: 'Saúde' }).textContent

test('copies are counted beside visits, in the sentence, the chart and the table, and each closes with its own total', async () => {
  setCopies({ accepted: 1_377, refused: 9, waiting: 2, expired: 1, withheld: 1 })
  const { person } = await openPage({ delivery: 'both', ...STORED })
  await waitFor(() =>
    expect(health()).toContain(
      '6 foram barradas por bloqueadores ou pela rede. Das cópias do servidor, a Meta aceitou 1.377 e recusou 9; 2 aguardam, 1 expirou e 1 foi retida.',
    ),
  )
  const visits = within(await screen.findByRole('region', { name: 'Cada visita, contada' }))
  await person.click(visits.getByRole('button', { name: 'Cópias do servidor' }))
  const ledger = within(screen.getByRole('region', { name: 'Cada cópia do servidor, contada' }))
  const chart = ledger.getByRole('slider', { name: 'Cópias do servidor por hora' })
  expect(chart.getAttribute('aria-valuetext')).toBe(
    'domingo, 15/11, 08h. 1.390 cópias do servidor. Aceito: 1.377, Aguardando: 2, Recusado: 9, Expirado: 1, Retido: 1.',
  )
  expect(ledger.getAllByRole('definition').map((cell) => cell.textContent)).toEqual([
    '1',
    '< 1%',
    '1',
    '< 1%',
    '9',
    '< 1%',
    '2',
    '< 1%',
    '1.377',
    '> 99%',
    '1.390',
  ])
  await person.click(ledger.getByRole('button', { name: 'Tabela' }))
  const rows = ledger.getAllByRole('row').map((row) => row.textContent)
  expect(rows[1]).toBe('domingo, 15/11, 08h1.3772911' + '1.390')
  // Not set to send is not "sent nothing".
  expect(rows[2]).toBe(`domingo, 15/11, 07h${'não medido'.repeat(6)}`)
  expect(rows[3]).toBe('Total1.3772911' + '1.390')
})

test('by server alone, copies come first, nothing is said of a browser that runs nothing, and GA4 is never called accepted', async () => {
  setCopies({ unconfirmed: 120 })
  const rows = site.ledger('hour').rows.map((row) => ({ ...row, offered: 2, blocked: 0, reached: 0 }))
  site.ledger = (step) => ({ step, from: '', to: NOW, rows })
  await openPage({ type: 'google_analytics', delivery: 'server', ...STORED })
  await waitFor(() =>
    expect(health()).toBe('Funcionando. Das cópias do servidor, 120 foram enviadas; o Google não confirma.'),
  )
  const ledger = within(await screen.findByRole('region', { name: 'Cada cópia do servidor, contada' }))
  expect(ledger.queryByText('Aceito')).toBeNull()
  ledger.getByText(/^O Google não confirma o que recebe/)
  expect(screen.queryByRole('region', { name: 'Conversões' })).toBeNull()
  screen.getByText('Com o envio pelo servidor, fica guardado e não roda na página.')
  screen.getByRole('button', { name: 'Testar agora' })
})

test('a pixel of the browser says nothing of servers', async () => {
  await openPage({})
  await screen.findByRole('region', { name: 'Conversões' })
  expect(screen.queryByRole('region', { name: 'Envio pelo servidor' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Cópias do servidor' })).toBeNull()
  expect(site.calls.filter(({ path }) => path.endsWith('/deliveries'))).toEqual([])
})

test('the last deliveries are told with their answers, refusals by reason, and what waits is tried again at once', async () => {
  site.deliveries = makeDeliveries({
    waiting: 3,
    next_attempt_at: '2026-11-15T12:05:00.000Z',
    refusals: [
      { reason: '100/2804003', message: 'Evento com mais de 7 dias: a Meta não aceita.', count: 1_204 },
    ],
    deliveries: [
      delivery({
        state: 'waiting',
        attempts: 2,
        answer: 'ETIMEDOUT',
        message: 'Meta instável. Tentaremos de novo.',
      }),
      delivery({}),
      delivery({
        state: 'withheld',
        event: 'page_view',
        answer: '',
        message: 'O visitante retirou o consentimento.',
      }),
    ],
  })
  const { id, person } = await openPage({ delivery: 'server', ...STORED })
  const sending = await card()
  const items = (await sending.findAllByRole('listitem')).map((item) => item.textContent)
  expect(items).toEqual([
    'Evento com mais de 7 dias: a Meta não aceita. 100/28040031.204',
    expect.stringMatching(/^Clique em "Abrir Conta".* · tentativa 2AguardandoMeta instável.*ETIMEDOUT$/),
    expect.stringMatching(/^Clique em "Abrir Conta".*AceitoA Meta recebeu\.HTTP 200$/),
    expect.stringMatching(/^Página vista.*Retido: consentimento retirado/),
  ])
  sending.getByText(/^Servidor\. Token de acesso: guardado em 15\/11\/2026/)
  sending.getByText('3 eventos esperam na fila.')
  await person.dblClick(sending.getByRole('button', { name: 'Tentar de novo' }))
  await screen.findByText('Nova tentativa: 3 eventos na fila')
  expect(site.callsTo(`POST /admin/api/pixels/${id}/deliveries/retry`)).toHaveLength(1)
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})

test('a refused token is told in the list and the page, with what waits; the way to mend it leads to the token', async () => {
  site.deliveries = makeDeliveries({
    waiting: 12,
    first_expires_at: '2026-11-16T13:00:00.000Z',
    stopped: STOP,
  })
  const { id } = site.addPixel(
    'Loja',
    {
      health: 'broken',
      reasons: [
        { code: STOP.code, message: STOP.message, action: { kind: 'edit', label: 'Trocar o token' } },
      ],
    },
    { delivery: 'server', ...STORED },
  )
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Trocar o token' }))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Token de acesso')))
  await person.keyboard('{Escape}')
  await person.click(screen.getByRole('link', { name: 'Loja' }))
  const sending = await card()
  const box = await sending.findByRole('note')
  expect(box.textContent).toMatch(
    /^A Meta recusou o token\. Gere um novo.*Parado desde 15\/11\/2026.*12 eventos esperam na fila; o primeiro vence em 16\/11\/2026, 10:00\. Tentamos um deles de novo a cada hora\./,
  )
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
  await person.click(within(box).getByRole('button', { name: 'Trocar o token' }))
  await person.click(await screen.findByLabelText('Token de acesso'))
  await person.paste('EAAG0123456789secretTOKEN')
  site.deliveries = makeDeliveries({ waiting: 12, next_attempt_at: NOW })
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  await sending.findByText('12 eventos esperam na fila.')
  expect(sending.queryByRole('note')).toBeNull()
  expect(site.pixels.find((pixel) => pixel.id === id)?.has_access_token).toBe(true)
})

test('nothing sent yet, and no answer from our server, each say so', async () => {
  site.refuse('GET /admin/api/pixels/*/deliveries', 500)
  const { person } = await openPage({ delivery: 'server', ...STORED })
  const sending = await card()
  await sending.findByText('Não deu para ler os envios deste pixel.')
  site.answer('GET /admin/api/pixels/*/deliveries', () => site.deliveries)
  await person.click(sending.getByRole('button', { name: 'Tentar novamente' }))
  await sending.findByText(/^Nenhum envio ainda\./)
})
