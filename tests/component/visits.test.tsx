import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { nextSiteDay, startOfSiteDate } from '#contract/site.ts'
import type { Cell, VisitPoint, VisitReport, VisitRow } from '#contract/visit-report.ts'
import { findComponentFaults } from '../support/find-component-faults.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makeVisits, NOW } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const PATH = '/admin/visitas'

let site: ScriptedSite
beforeEach(() => {
  vi.setSystemTime(NOW)
  site = new ScriptedSite()
  site.visits = busySite
})

const numbers = (visits: Cell, lead: Cell = 0) => ({ visits, visitors: visits, clicks: { lead, contact: 0 } })

const row = (key: string, visits: Cell, lead: Cell): VisitRow => ({
  key,
  ...numbers(visits, lead),
  rate: visits && lead !== null ? lead / visits : null,
})

/** Every day has 100 visits, and had 80 before the period of 30 days. */
function busySite(query: URLSearchParams): VisitReport {
  const series: VisitPoint[] = []
  const [from = '', to = ''] = [query.get('from'), query.get('to')].map((day) => day ?? '')
  for (let at = startOfSiteDate(from); at <= startOfSiteDate(to); at = nextSiteDay(at))
    series.push({
      at: new Date(at).toISOString(),
      ...numbers(at < Date.parse('2026-10-17T03:00:00Z') ? 80 : 100, 5),
    })
  const total = series.reduce((sum, { visits }) => sum + (visits ?? 0), 0)
  const isFiltered = query.has('campaign')
  return makeVisits({
    since: '2026-02-12T12:00:00.000Z',
    totals: {
      ...numbers(total, series.length * 5),
      views: isFiltered ? null : total * 2,
      subscriptions: null,
      robots: null,
    },
    series,
    rows:
      query.get('by') === 'campaign'
        ? [row('black-friday', 900, 63), row('', 200, 2), row('*', null, null)]
        : [row('paid_search', 2_000, 150), row('direct', 1_000, null)],
  })
}

const card = () => screen.findByRole('region', { name: /^Visitas por/ })
const figures = async () =>
  within(await card())
    .getAllByRole('button', { name: /^(Visitas|Visitantes|Abrir Conta|Especialista)/ })
    .map(({ textContent }) => textContent)
const searchOf = () => new URLSearchParams(location.search).toString()
const lastQuery = () => site.callsTo('GET /admin/api/visits').at(-1)?.query

test('shows four figures of the period, compared on the same weekdays without today', async () => {
  await openDashboard(site, { path: PATH })
  await within(await card()).findByText(
    '17/10 a 15/11, hoje até 9h. Comparado com 12/09 a 10/10, nos mesmos dias da semana, sem contar hoje.',
  )
  await waitFor(async () =>
    expect(await figures()).toEqual([
      'Visitas3.0006.000 páginas abertasaté ontem: +25%, antes 2.320',
      'Visitantes3.000somados dia a diaaté ontem: +25%, antes 2.320',
      'Abrir Conta (cliques)1505,0 por 100 visitasaté ontem: 0%, antes 145',
      'Especialista (cliques)00,0 por 100 visitasaté ontem: antes, nenhum clique',
    ]),
  )
  expect(document.title).toMatch(/^Visitas · /)
  expect(await findComponentFaults(document.body)).toEqual([])
})

test('chooses what the chart shows, and shows the same numbers as a table', async () => {
  const { person } = await openDashboard(site, { path: PATH })
  const { findByRole, getByRole } = within(await card())
  await person.click(await findByRole('button', { name: /^Abrir Conta/ }))
  expect(getByRole('slider', { name: 'Abrir Conta (cliques), por dia' })).not.toBeNull()
  await person.click(getByRole('button', { name: 'Tabela' }))
  const table = within(await findByRole('table'))
  await waitFor(() =>
    expect(table.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      'Dia',
      'Visitas',
      'Visitantes',
      'Abrir Conta (cliques)',
      'Especialista (cliques)',
      'Abrir Conta (cliques) antes',
    ]),
  )
  expect(table.getAllByRole('row')[1]?.textContent).toBe('domingo, 15/11100100505')
  expect(searchOf()).toBe('metrica=abrir-conta&ver=tabela')
})

test('shows how often each page was opened, once there are several', async () => {
  site.visits = (query) => ({
    ...busySite(query),
    pages: [
      { path: '/', views: 5_200 },
      { path: '/nichos/gaming', views: 780 },
      { path: '/taxas', views: null },
    ],
  })
  await openDashboard(site, { path: PATH })
  const pages = within(await screen.findByRole('region', { name: 'Páginas abertas' }))
  expect(pages.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Página inicial5.200',
    '/nichos/gaming780',
    '/taxasmenos de 5',
  ])
})

test('filters by a row, keeps the filter in the address, and Back removes it', async () => {
  const { person } = await openDashboard(site, { path: `${PATH}?por=campanha` })
  const rows = within(await screen.findByRole('table', { name: 'Visitas por campanha' }))
  expect(rows.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
    'CampanhaVisitasVisitantesAbrir ContaEspecialista',
    'black-friday: ver só estas visitas90030%900637,0 por 1000',
    'Sem campanha: ver só estas visitas2007%20021,0 por 1000',
    'Outros: ver só estas visitasmenos de 5menos de 5menos de 5poucas visitas0',
  ])
  await person.click(rows.getByRole('button', { name: /^black-friday/ }))
  expect(searchOf()).toBe('campanha=black-friday')
  const chip = await screen.findByRole('button', { name: 'Remover o filtro Campanha: black-friday' })
  await waitFor(() => expect(lastQuery()?.get('campaign')).toBe('black-friday'))
  await screen.findByRole('table', { name: 'Visitas por canal' })
  expect((await figures())[0]).toContain('com estes filtros')
  await person.click(chip)
  expect(searchOf()).toBe('')
  history.back()
  await screen.findByRole('button', { name: 'Remover o filtro Campanha: black-friday' })
})

test('asks for no hours with a filter, and for visits without a campaign by an empty value', async () => {
  await openDashboard(site, { path: `${PATH}?periodo=hoje&campanha=` })
  await screen.findByRole('button', { name: 'Remover o filtro Campanha: Sem campanha' })
  await card()
  const query = lastQuery()
  expect([query?.get('step'), query?.get('campaign')]).toEqual(['day', ''])
})

test('numbers the changes of tags on the chart and lists them', async () => {
  site.activity = [
    { id: 'b', at: '2026-11-12T19:40:00.000Z', by: 'bia@exemplo.com.br', kind: 'pixels', text: 'pausou X' },
    {
      id: 'a',
      at: '2026-11-03T13:31:00.000Z',
      by: 'ana@exemplo.com.br',
      kind: 'pixels',
      text: 'adicionou Y',
    },
    { id: 'z', at: '2026-09-01T13:31:00.000Z', by: 'ana@exemplo.com.br', kind: 'pixels', text: 'antes' },
  ]
  await openDashboard(site, { path: PATH })
  const changes = within(await screen.findByRole('region', { name: 'O que mudou nas tags' }))
  expect(changes.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    '212/11, 16h40 bia@exemplo.com.br pausou X',
    '103/11, 10h31 ana@exemplo.com.br adicionou Y',
  ])
})

test('says what is an estimate and that a proxy hides addresses', async () => {
  site.visits = (query) => ({
    ...busySite(query),
    estimated_days: ['2026-11-10', '2026-11-12'],
    hides_addresses: true,
  })
  await openDashboard(site, { path: PATH })
  await screen.findByText(/^Visitas e visitantes de 10\/11 e 12\/11 são uma estimativa/)
  await screen.findByText(/um proxy esconde o endereço/)
  expect(await findComponentFaults(document.body)).toEqual([])
})

test.each([
  ['a site without a visit', {}, 'A primeira visita aparece aqui'],
  ['a switched-off count', { is_on: false, since: null }, 'A contagem de visitas está desativada'],
])('explains %s', async (_, report, title) => {
  site.visits = () => makeVisits({ since: NOW, ...report })
  await openDashboard(site, { path: PATH })
  await screen.findByRole('heading', { name: title })
  expect(screen.queryByRole('button', { name: 'Baixar CSV' })).toBeNull()
  expect(await findComponentFaults(document.body)).toEqual([])
})

test('offers to clear filters that nobody matches', async () => {
  site.visits = (query) =>
    query.has('term') ? makeVisits({ since: '2026-02-12T12:00:00.000Z' }) : busySite(query)
  const { person } = await openDashboard(site, { path: `${PATH}?termo=nada` })
  await screen.findByRole('heading', { name: 'Nenhuma visita com esses filtros' })
  await person.click(screen.getByRole('button', { name: 'Limpar filtros' }))
  await card()
  expect(searchOf()).toBe('')
})

test('says of days before counting began that they were not counted, and compares nothing with them', async () => {
  site.visits = (query) => ({ ...busySite(query), since: '2026-11-01T12:00:00.000Z' })
  const { person } = await openDashboard(site, { path: PATH })
  await within(await card()).findByText(
    '17/10 a 15/11, hoje até 9h. Contado desde 01/11/2026, depois das 9h.',
  )
  expect((await figures())[0]).toContain('sem período anterior')
  const chart = within(await card()).getByRole('slider', { name: 'Visitas, por dia' })
  chart.focus()
  await person.keyboard('{Home}')
  expect(chart.getAttribute('aria-valuetext')).toMatch(/, 17\/10: não contado\.$/)
  await person.keyboard('{End}')
  expect(chart.getAttribute('aria-valuetext')).toMatch(/, 15\/11: .+ visitas, /)
})

test('a failed load is said and tried again', async () => {
  site.refuse('GET /admin/api/visits', 500)
  const { person } = await openDashboard(site, { path: PATH })
  const again = await screen.findByRole('button', { name: 'Tentar novamente' })
  expect(await findComponentFaults(document.body)).toEqual([])
  site.answer('GET /admin/api/visits', ({ query }) => busySite(query))
  await person.click(again)
  await card()
})

test('without a connection says so, and loads what was asked for once it is back', async () => {
  const { person } = await openDashboard(site, { path: PATH })
  const shown = within(await card())
  site.away = true
  await person.click(shown.getByRole('button', { name: '7 dias' }))
  const again = await screen.findByRole('button', { name: 'Tentar novamente' }, { timeout: 10_000 })
  expect(screen.getByText(/conexão/i)).not.toBeNull()
  expect(await findComponentFaults(document.body)).toEqual([])
  site.away = false
  await person.click(again)
  await card()
  await waitFor(async () => expect((await figures())[0]).toMatch(/^Visitas700/))
})

test('explains each figure beside it', async () => {
  await openDashboard(site, { path: PATH })
  const { getAllByRole, getByText } = within(await card())
  expect(
    getAllByRole('button', { name: /^Como contamos: / }).map((button) => button.getAttribute('aria-label')),
  ).toEqual([
    'Como contamos: Visitas',
    'Como contamos: Visitantes',
    'Como contamos: Abrir Conta (cliques)',
    'Como contamos: Especialista (cliques)',
  ])
  getByText(/os visitantes são somados dia a dia\.$/)
})

test('saves the breakdown as CSV with the same filters', async () => {
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  site.answer('GET /admin/api/visits/export', () => new Response('canal\r\n'))
  const { person } = await openDashboard(site, { path: `${PATH}?campanha=black-friday&periodo=7d` })
  await card()
  await person.click(screen.getByRole('button', { name: 'Baixar CSV' }))
  await waitFor(() =>
    expect(site.callsTo('GET /admin/api/visits/export').at(-1)?.query.toString()).toBe(
      'from=2026-11-09&to=2026-11-15&step=day&by=channel&campaign=black-friday',
    ),
  )
  await waitFor(() =>
    expect((clicked.mock.contexts[0] as HTMLAnchorElement | undefined)?.download).toBe(
      'visitas-por-canal-2026-11-09-a-2026-11-15.csv',
    ),
  )
})

test('the funnel leads from visits to outcomes, each step as a part of the one before', async () => {
  site.visits = (query) => {
    const report = busySite(query)
    const totals = { ...report.totals, ...numbers(3_000, 150), results: 12, subscriptions: 6 }
    return { ...report, totals: query.has('source') ? { ...report.totals, ...numbers(null, null) } : totals }
  }
  const { person } = await openDashboard(site, { path: PATH })
  await person.click(within(await card()).getByRole('button', { name: 'Funil' }))
  expect(searchOf()).toBe('ver=funil')
  const textsOf = (name: string) =>
    within(screen.getByRole('list', { name }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent)
  expect(textsOf('Funil')).toEqual([
    'Visitas todas, sem cookies3.000',
    'Abrir Conta cliques1505,0 por 100 visitas',
    'Resultados ligados a uma visita128,0 por 100 cliques',
  ])
  expect(textsOf('Também aconteceu nessas visitas')).toEqual([
    'Especialista cliques00,0 por 100 visitas',
    'Inscrições e-mails novos60,2 por 100 visitas',
  ])
  expect(await findComponentFaults(document.body)).toEqual([])
})

test('the funnel says that outcomes are unknown by source, and hides few', async () => {
  site.visits = (query) => {
    const report = busySite(query)
    return { ...report, totals: { ...report.totals, ...numbers(40, null), subscriptions: null } }
  }
  await openDashboard(site, { path: `${PATH}?ver=funil&origem=google` })
  await screen.findByText(/Os resultados não aparecem com este filtro/)
  const steps = within(screen.getByRole('list', { name: 'Funil' })).getAllByRole('listitem')
  expect(steps.map(({ textContent }) => textContent)).toEqual([
    'Visitas todas, sem cookies40',
    'Abrir Conta cliquesmenos de 5de 40 visitas',
  ])
})
