import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Checkpoint, ConsentCount, ConsentOverview, FoundRecord } from '#contract/consent.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { NOW } from '../support/scripted-rows.ts'
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
  // The last of the requested days.
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
  seals: { last: SEAL, waiting: 2, oldest_waiting_at: NOW },
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

test('says that another period is loading, and hides earlier figures', async () => {
  const { person } = await openDashboard(site, { path: PATH })
  const card = await screen.findByRole('region', { name: 'Respostas ao aviso de cookies por dia' })
  within(card).getByText('Últimos 28 dias: 100 respostas')
  const held = site.hold('GET /admin/api/consent')
  await person.click(within(card).getByRole('button', { name: '90 dias' }))
  await within(card).findByText('Carregando 90 dias…')
  expect(card.getAttribute('aria-busy')).toBe('true')
  expect(within(card).queryByRole('slider')).toBeNull()
  for (const call of held) call.release()
  await waitFor(() => expect(card.getAttribute('aria-busy')).toBe('false'))
  within(card).getByText('Últimos 90 dias: 100 respostas')
  within(card).getByRole('slider')
})

test('shows figures that add up, as chart and table, by version, and the checkpoints', async () => {
  const { person } = await openDashboard(site)
  await person.click(screen.getAllByRole('link', { name: 'Consentimento' })[0] as HTMLElement)
  expect(location.pathname).toBe(PATH)
  const heading = await screen.findByRole('heading', { name: 'Consentimento' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  const choices = await waitFor(() => region('Respostas ao aviso de cookies por dia'))
  choices.getByText('Últimos 28 dias: 100 respostas')
  expect(choices.getByText('60').textContent).toContain('60%')
  expect(choices.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
    /100 respostas\. Aceitaram tudo: 60, Aceitaram em parte: 10, Recusaram: 30\.$/,
  )
  await person.click(choices.getByRole('button', { name: 'Tabela' }))
  const rows = choices.getAllByRole('row')
  expect(rows).toHaveLength(1 + 28 + 1)
  expect(rows.at(-1)?.textContent).toBe('Total601030100')
  await person.click(choices.getByRole('button', { name: '7 dias' }))
  await waitFor(() =>
    expect(region('Respostas ao aviso de cookies por dia').getAllByRole('row')).toHaveLength(1 + 7 + 1),
  )

  const notices = region('Versões do aviso de cookies')
  expect(notices.getAllByRole('row').map((row) => row.textContent)).toEqual([
    'VersãoRespostasAceitaram tudoAceitaram em parteRecusaram',
    expect.stringMatching(/^Versão 2desde 10\/11\/2026.*100%$/),
    expect.stringMatching(/^Versão 1.*9067%11%22%$/),
  ])
  notices.getByText('Ver o texto da versão 2')
  const seals = region('Selos de integridade')
  seals.getByText(/nº 48\.391/)
  seals.getByText('90.001')
  expect(seals.getByRole('link', { name: /portico-seals/ }).getAttribute('href')).toMatch(
    /\/\.well-known\/portico-seals$/,
  )
  expect(seals.queryByText(/Os selos estão atrasados/)).toBeNull()
  expect(await findComponentFaults(screen.getByRole('main'))).toEqual([])
})

test('finds a receipt by its code, and refuses an invalid code without a request', async () => {
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByRole('region', { name: 'Buscar comprovante' })
  const receipt = region('Buscar comprovante')
  const field = receipt.getByLabelText('Código do comprovante')
  await person.type(field, 'nada{Enter}')
  receipt.getByText(/Digite os 12 caracteres do código/)
  expect(site.callsTo('GET /admin/api/consent/records')).toEqual([])
  await person.clear(field)
  await person.type(field, '1A2B3C4D-5E6F{Enter}')
  await receipt.findByText('Aceitou em parte')
  receipt.getByText('Desempenho')
  receipt.getByText('nº 48.219')
  site.answer('GET /admin/api/consent/records', () => ({ records: [] }))
  await person.click(receipt.getByRole('button', { name: 'Buscar' }))
  await receipt.findByText(/Nenhum registro com este código/)
})

test('saves figures and dossier as files for the chosen days', async () => {
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  const names = () => clicked.mock.contexts.map((link) => (link as HTMLAnchorElement).download)
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByRole('region', { name: 'Dossiê para auditoria' })
  await person.click(screen.getByRole('button', { name: 'Baixar CSV' }))
  await waitFor(() => expect(names()).toEqual([expect.stringMatching(/^consentimento-.+\.csv$/)]))
  const dossier = region('Dossiê para auditoria')
  const from = dossier.getByLabelText('De')
  await person.clear(from)
  await person.click(dossier.getByRole('button', { name: 'Gerar dossiê' }))
  dossier.getByText('Escolha a data inicial e a data final.')
  await person.type(from, '2026-11-01')
  await person.clear(dossier.getByLabelText('Até'))
  await person.type(dossier.getByLabelText('Até'), '2026-11-15')
  await person.click(dossier.getByRole('button', { name: 'Gerar dossiê' }))
  await waitFor(() => expect(names().at(-1)).toBe('dossie-2026-11-01-a-2026-11-15.html'))
  await person.click(dossier.getByRole('button', { name: 'Baixar em JSON' }))
  await waitFor(() => expect(names().at(-1)).toBe('dossie-2026-11-01-a-2026-11-15.json'))
  await person.click(dossier.getByRole('button', { name: 'Baixar registros' }))
  await waitFor(() => expect(names().at(-1)).toBe('registros-2026-11-01-a-2026-11-15.jsonld'))
  expect(site.callsTo('GET /admin/api/consent/dossier').map(({ query }) => query.get('format'))).toEqual([
    'html',
    'json',
  ])
})

test('reports an empty period, late checkpoints and a missing response', async () => {
  overview = EMPTY
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByText('Nenhuma resposta ao aviso ainda')
  region('Selos de integridade').getByText('O primeiro selo aparece depois da primeira resposta ao aviso.')
  await person.click(screen.getAllByRole('link', { name: 'Inscrições' })[0] as HTMLElement)
  overview = {
    ...FULL,
    seals: { last: SEAL, waiting: 2, oldest_waiting_at: '2026-11-15T10:00:00.000Z' },
  }
  await person.click(screen.getAllByRole('link', { name: 'Consentimento' })[0] as HTMLElement)
  await screen.findByText(/Os selos estão atrasados desde/)
})

test('offers a retry without a response', async () => {
  site.refuse('GET /admin/api/consent', 400, { message: 'Não agora.' })
  const { person } = await openDashboard(site, { path: PATH })
  await screen.findByText('Não agora.')
  site.answer('GET /admin/api/consent', answer)
  await person.click(screen.getByRole('button', { name: 'Tentar novamente' }))
  await screen.findByRole('region', { name: 'Respostas ao aviso de cookies por dia' })
})
