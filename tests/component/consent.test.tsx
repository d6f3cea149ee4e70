import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Checkpoint, ConsentCount, ConsentOverview, FoundRecord } from '#contract/consent.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import type { Handler } from '../support/scripted-server.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const PATH = '/admin/consentimento'

const SEAL: Checkpoint = {
  '@type': 'ConsentSeal',
  sequence: 48_391,
  first_record_at: '2026-11-15T17:18:00.000Z',
  last_record_at: '2026-11-15T17:18:30.000Z',
  leaf_count: 3,
  tree_size: 90_001,
  root: 'a'.repeat(43),
  previous_hash: null,
  sealed_at: '2026-11-15T17:19:00.000Z',
  hash: 'b'.repeat(43),
}
const count = (choice: ConsentCount['choice'], many: number, text_version = 1): ConsentCount => ({
  // The last of those that are asked for.
  day: '',
  text_version,
  action: 'save',
  choice,
  count: many,
})
const FULL: Omit<ConsentOverview, 'from' | 'to'> = {
  counts: [count('accepted', 60), count('partial', 10), count('refused', 20), count('refused', 10, 2)],
  notices: [
    { version: 2, hash: 'n2', first_served_at: '2026-11-10T12:00:00.000Z', text: 'Aceitar\nRejeitar' },
    { version: 1, hash: 'n1', first_served_at: '2026-11-01T12:00:00.000Z', text: 'Antes' },
  ],
  seals: { last: SEAL, waiting: 2, oldest_waiting_at: new Date().toISOString() },
  recent: [SEAL, { ...SEAL, sequence: 48_390 }],
  kept_days: 1826,
}
const EMPTY: typeof FULL = {
  ...FULL,
  counts: [],
  seals: { last: null, waiting: 0, oldest_waiting_at: null },
  recent: [],
}
const FOUND: FoundRecord = {
  record: {
    '@type': 'ConsentRecord',
    schema_version: 1,
    record_id: 'r',
    consent_id: '1a2b3c4d-5e6f-4000-8000-000000000000',
    recorded_at: '2026-11-15T14:32:00.000Z',
    event: 'save',
    state: 'partial',
    purposes: [
      { purpose: 'desempenho', status: 'given' },
      { purpose: 'marketing', status: 'refused' },
    ],
    notice: { version: 2 },
    parties: { tag_set_version: '' },
  },
  leaf: { position: 5, hash: 'h', seal: 48_219 },
}

let site: ScriptedSite
let overview: typeof FULL
const answer: Handler = ({ query }) => {
  const [from, to] = [query.get('from'), query.get('to')]
  return { ...overview, from, to, counts: overview.counts.map((each) => ({ ...each, day: to })) }
}
beforeEach(() => {
  site = new ScriptedSite()
  overview = FULL
  site.answer('GET /admin/api/consent', answer)
  site.answer('GET /admin/api/consent/records', () => ({ records: [FOUND] }))
  site.answer('GET /admin/api/consent/export', () => new Response('dia\r\n'))
  site.answer('GET /admin/api/consent/records/export', () => new Response('{}'))
  site.answer('GET /admin/api/consent/dossier', () => new Response('<!doctype html>'))
})

const region = (name: string) => within(screen.getByRole('region', { name }))

test('says that another period is on its way, and shows no figures of before under its name', async () => {
  const { person } = await openDashboard(site, { path: PATH })
  const card = await screen.findByRole('region', { name: 'Escolhas por dia' })
  within(card).getByText('Últimos 28 dias: 100 escolhas')
  const held = site.hold('GET /admin/api/consent')
  await person.click(within(card).getByRole('button', { name: '90 dias' }))
  await within(card).findByText('Carregando 90 dias…')
  expect(card.getAttribute('aria-busy')).toBe('true')
  expect(within(card).getByRole('slider').closest('[inert]')).not.toBeNull()
  for (const call of held) call.release()
  await waitFor(() => expect(card.getAttribute('aria-busy')).toBe('false'))
  within(card).getByText('Últimos 90 dias: 100 escolhas')
  expect(within(card).getByRole('slider').closest('[inert]')).toBeNull()
})

test('has its place under the tab: figures that add up, as chart and as table, by version, and the seals', async () => {
  const { person } = await openDashboard(site)
  await person.click(screen.getAllByRole('link', { name: 'Consentimento' })[0] as HTMLElement)
  expect(location.pathname).toBe(PATH)
  const heading = await screen.findByRole('heading', { name: 'Consentimento' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  const choices = await waitFor(() => region('Escolhas por dia'))
  choices.getByText('Últimos 28 dias: 100 escolhas')
  expect(choices.getByText('60').textContent).toContain('60%')
  expect(choices.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
    /100 escolhas\. Aceitaram tudo: 60, Em parte: 10, Recusaram: 30\.$/,
  )
  await person.click(choices.getByRole('button', { name: 'Tabela' }))
  const rows = choices.getAllByRole('row')
  expect(rows).toHaveLength(1 + 28 + 1)
  expect(rows.at(-1)?.textContent).toBe('Total601030100')
  await person.click(choices.getByRole('button', { name: '7 dias' }))
  await waitFor(() => expect(region('Escolhas por dia').getAllByRole('row')).toHaveLength(1 + 7 + 1))

  const notices = region('Por versão do aviso')
  expect(notices.getAllByRole('row').map((row) => row.textContent)).toEqual([
    'VersãoEscolhasAceitaram tudoEm parteRecusaram',
    expect.stringMatching(/^Versão 2desde 10\/11\/2026.*100%$/),
    expect.stringMatching(/^Versão 1.*9067%11%22%$/),
  ])
  notices.getByText('Ver o texto da versão 2')
  const seals = region('Selos')
  seals.getByText(/nº 48\.391/)
  seals.getByText('90.001')
  expect(seals.getByRole('link').getAttribute('href')).toMatch(/\/\.well-known\/portico-seals$/)
  expect(seals.queryByText(/sem selo desde/)).toBeNull()
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})

test('a receipt is found by its code; what is none is said before anybody is asked', async () => {
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByRole('region', { name: 'Procurar um recibo' })
  const receipt = region('Procurar um recibo')
  const field = receipt.getByLabelText('Código da escolha')
  await person.type(field, 'nada{Enter}')
  receipt.getByText(/O código tem doze letras/)
  expect(site.callsTo('GET /admin/api/consent/records')).toEqual([])
  await person.clear(field)
  await person.type(field, '1A2B3C4D-5E6F{Enter}')
  await receipt.findByText('Aceitou em parte')
  receipt.getByText('Desempenho')
  receipt.getByText('nº 48.219')
  site.answer('GET /admin/api/consent/records', () => ({ records: [] }))
  await person.click(receipt.getByRole('button', { name: 'Procurar' }))
  await receipt.findByText(/Nenhuma escolha guardada tem este código/)
})

test('figures and dossier are saved as files, for the days that were chosen', async () => {
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  const names = () => clicked.mock.contexts.map((link) => (link as HTMLAnchorElement).download)
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByRole('region', { name: 'Dossiê' })
  await person.click(screen.getByRole('button', { name: 'Baixar CSV' }))
  await waitFor(() => expect(names()).toEqual([expect.stringMatching(/^consentimento-.+\.csv$/)]))
  const dossier = region('Dossiê')
  const from = dossier.getByLabelText('De')
  await person.clear(from)
  await person.click(dossier.getByRole('button', { name: 'Gerar dossiê' }))
  dossier.getByText('Escolha as duas datas.')
  await person.type(from, '2026-11-01')
  await person.clear(dossier.getByLabelText('Até'))
  await person.type(dossier.getByLabelText('Até'), '2026-11-15')
  await person.click(dossier.getByRole('button', { name: 'Gerar dossiê' }))
  await waitFor(() => expect(names().at(-1)).toBe('dossie-2026-11-01-a-2026-11-15.html'))
  await person.click(dossier.getByRole('button', { name: 'Baixar em JSON' }))
  await waitFor(() => expect(names().at(-1)).toBe('dossie-2026-11-01-a-2026-11-15.json'))
  await person.click(dossier.getByRole('button', { name: 'Baixar os registros' }))
  await waitFor(() => expect(names().at(-1)).toBe('registros-2026-11-01-a-2026-11-15.jsonld'))
  expect(site.callsTo('GET /admin/api/consent/dossier').map(({ query }) => query.get('format'))).toEqual([
    'html',
    'json',
  ])
})

test('nobody chose yet, seals that wait too long, and no answer each say so', async () => {
  overview = EMPTY
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByText('Ninguém escolheu ainda')
  region('Selos').getByText('Ainda não há escolhas para selar.')
  await person.click(screen.getAllByRole('link', { name: 'Inscrições' })[0] as HTMLElement)
  overview = {
    ...FULL,
    seals: { last: SEAL, waiting: 2, oldest_waiting_at: '2026-11-15T10:00:00.000Z' },
  }
  await person.click(screen.getAllByRole('link', { name: 'Consentimento' })[0] as HTMLElement)
  await screen.findByText(/Há escolhas sem selo desde/)
})

test('without an answer there is a way to try again', async () => {
  site.refuse('GET /admin/api/consent', 400, { message: 'Não agora.' })
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByText('Não agora.')
  site.answer('GET /admin/api/consent', answer)
  await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
  await screen.findByRole('region', { name: 'Escolhas por dia' })
})
