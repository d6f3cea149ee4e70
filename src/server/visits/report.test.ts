import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { VisitReport } from '#contract/visit-report.ts'
import { registerAdminApiPart } from '#tests/support/admin-api.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { statementsOn } from '#tests/support/sent-statements.ts'
import { registerErrors } from '../http/errors.ts'
import { addCounts, type Count } from '../stats/counts.ts'
import type { Source } from './arrival.ts'
import { keyOfSource } from './counter.ts'
import { addOutcomeSources, type SourcedOutcome } from './outcome-sources.ts'
import { registerVisitReport } from './report.ts'

/** Noon at the site. */
const at = (day: string, hour = 12) => Date.parse(`${day}T${hour}:00:00-03:00`)

const PAID: Source = {
  channel: 'paid_search',
  source: 'google',
  medium: 'cpc',
  campaign: 'black-friday',
  term: '',
  device: 'phone',
}
const DIRECT: Source = {
  channel: 'direct',
  source: '',
  medium: '',
  campaign: '',
  term: '',
  device: 'desktop',
}

/** As the counter writes them. */
function visits(day: string, source: Source, [visits, visitors, lead, contact]: readonly number[]): Count[] {
  const numbers = { visits, visitors, lead, contact }
  return Object.entries(numbers).flatMap(([name, by = 0]) => {
    const isClick = name === 'lead' || name === 'contact'
    return [
      { series: 'visit', key: isClick ? `click:${name}` : name, at: at(day), by },
      { series: 'visit.source', key: `${name} ${keyOfSource(source)}`, at: at(day), by },
    ] as Count[]
  })
}

describe.each(ENGINES)('the report of visits, on %s', (engine) => {
  let database: TestDatabase
  let app: FastifyInstance
  beforeAll(async () => {
    database = await makeDatabase(engine)
    app = Fastify()
    registerErrors(app, { 404: '', 500: '' }, () => 'service')
    await registerAdminApiPart(app, {
      caller: () => ({ kind: 'service' }),
      register: (scope) =>
        registerVisitReport(scope, {
          db: database.db,
          isOn: true,
          countSubscriptions: async (spans) => ({
            counts: spans.map(([from, to]) => (to - from) / 86_400_000),
          }),
        }),
    })
  })
  afterAll(async () => {
    await app.close()
    await database.close()
  })
  beforeEach(async () => {
    await database.db.deleteFrom('counts').execute()
    await database.db.deleteFrom('outcome_campaign_values').execute()
    await addCounts(database.db, [
      ...visits('2026-11-15', PAID, [100, 80, 10, 3]),
      ...visits('2026-11-15', DIRECT, [40, 30, 0, 6]),
      ...visits('2026-11-16', DIRECT, [3, 3, 1, 0]),
      ...visits('2026-10-31', PAID, [7, 7, 7, 7]),
      { series: 'visit', key: 'views', at: at('2026-11-15'), by: 200 },
      { series: 'visit', key: 'robots', at: at('2026-11-15'), by: 9 },
      { series: 'visit', key: 'estimated', at: at('2026-11-16') },
      { series: 'visit.page', key: '/', at: at('2026-11-15'), by: 150 },
      { series: 'visit.page', key: '/', at: at('2026-11-16'), by: 30 },
      { series: 'visit.page', key: '/taxas', at: at('2026-11-15'), by: 16 },
      { series: 'visit.page', key: '/nichos/gaming', at: at('2026-11-16'), by: 4 },
      { series: 'visit.page', key: '/taxas', at: at('2026-10-31'), by: 9 },
    ])
  })

  test('has results and their value by campaign and channel, and nowhere else', async () => {
    const outcome = (
      campaign: string,
      day: string,
      value: SourcedOutcome['value'] = null,
    ): SourcedOutcome => ({
      at: at(day),
      channel: 'paid_search',
      campaign,
      value,
    })
    const sales = Array.from({ length: 6 }, () =>
      outcome('black-friday', '2026-11-15', { currency: 'BRL', amount: 18_990 }),
    )
    await addOutcomeSources(database.db, [
      ...sales,
      outcome('black-friday', '2026-11-16', { currency: 'JPY', amount: 1_500 }),
      outcome('black-friday', '2026-10-31', { currency: 'BRL', amount: 1 }),
      outcome('só-no-app', '2026-11-15', { currency: 'BRL', amount: 5 }),
    ])
    const rowsOf = async (query: string): Promise<VisitReport['rows']> =>
      (await get(`from=2026-11-15&to=2026-11-16&${query}`)).json().rows
    const blackFriday = {
      results: 7,
      values: [
        { currency: 'BRL', total: '1139.40' },
        { currency: 'JPY', total: '1500' },
      ],
    }
    expect(await rowsOf('by=campaign')).toMatchObject([
      { key: 'black-friday', visits: 100, ...blackFriday },
      { key: '', results: 0, values: [] },
      // A single one could describe a person.
      { key: 'só-no-app', visits: 0, results: null, values: [] },
    ])
    expect(await rowsOf('by=channel')).toMatchObject([
      { key: 'paid_search', results: 8 },
      { key: 'direct', results: 0 },
    ])
    expect(await rowsOf('by=channel&campaign=black-friday')).toMatchObject([{ ...blackFriday }])
    for (const query of ['by=device', 'by=campaign&device=phone'])
      for (const row of await rowsOf(query)) expect(row).not.toHaveProperty('results')
    const totalOf = async (query: string): Promise<VisitReport['totals']> =>
      (await get(`from=2026-11-15&to=2026-11-16&${query}`)).json().totals
    expect(await totalOf('by=device')).toMatchObject({ results: 8 })
    expect(await totalOf('campaign=black-friday')).toMatchObject({ results: 7 })
    expect(await totalOf('campaign=só-no-app')).toMatchObject({ results: null })
    expect(await totalOf('device=phone')).not.toHaveProperty('results')
  })

  const get = (query: string) => app.inject({ url: `/admin/api/visits?${query}` })
  const read = async (query: string) => (await get(query)).json<VisitReport>()

  test('adds up how often each page was opened, and hides small numbers', async () => {
    expect((await read('from=2026-11-15&to=2026-11-16')).pages).toEqual([
      { path: '/', views: 180 },
      { path: '/taxas', views: 16 },
      { path: '/nichos/gaming', views: null },
    ])
    // Views have no source.
    expect((await read('from=2026-11-15&to=2026-11-16&channel=direct')).pages).toEqual([])
  })

  test('adds up totals, days and channels of whole days of the site', async () => {
    const report = await read('from=2026-11-15&to=2026-11-16')
    expect(report).toMatchObject({
      is_on: true,
      totals: {
        views: 200,
        visits: 143,
        visitors: 113,
        clicks: { lead: 11, contact: 9 },
        subscriptions: 2,
        robots: 9,
      },
      estimated_days: ['2026-11-16'],
      hides_addresses: false,
    })
    expect(report.series).toEqual([
      { at: '2026-11-15T03:00:00.000Z', visits: 140, visitors: 110, clicks: { lead: 10, contact: 9 } },
      { at: '2026-11-16T03:00:00.000Z', visits: 3, visitors: 3, clicks: { lead: 1, contact: 0 } },
    ])
    const none = { results: 0, values: [] }
    expect(report.rows).toEqual([
      {
        key: 'paid_search',
        visits: 100,
        visitors: 80,
        clicks: { lead: 10, contact: null },
        rate: 0.1,
        ...none,
      },
      { key: 'direct', visits: 43, visitors: 33, clicks: { lead: null, contact: 6 }, rate: null, ...none },
    ])
  })

  test('filters by a dimension, and hides numbers below five and what has no source', async () => {
    const report = await read('from=2026-11-15&to=2026-11-16&campaign=&by=device')
    expect(report.totals).toEqual({
      views: null,
      visits: 43,
      visitors: 33,
      clicks: { lead: null, contact: 6 },
      results: 0,
      subscriptions: null,
      robots: null,
    })
    expect(report.series.map((point) => point.visits)).toEqual([40, null])
    expect(report.rows.map(({ key }) => key)).toEqual(['desktop'])
    expect((await read('from=2026-11-15&to=2026-11-16&campaign=nenhuma')).rows).toEqual([])
  })

  test('adds up the sources of periods longer than a month', async () => {
    const report = await read('from=2026-08-01&to=2026-11-16&by=campaign&device=phone')
    expect(report.rows).toMatchObject([{ key: 'black-friday', visits: 107, visitors: 87 }])
    expect(report.totals).toMatchObject({ visits: 107, clicks: { lead: 17, contact: 10 } })
  })

  test('takes a value only at its own place in the source', async () => {
    await addCounts(
      database.db,
      visits('2026-11-15', { ...DIRECT, campaign: 'phone', term: '"desktop"]' }, [9, 9, 9, 9]),
    )
    const report = await read('from=2026-11-15&to=2026-11-15&device=phone')
    expect(report.totals.visits).toBe(100)
    expect(report.series.map((point) => point.visits)).toEqual([100])
  })

  test.each([
    ['', ['visit', 'visit.source']],
    ['step=month', ['visit', 'visit.source']],
    ['campaign=black-friday', ['visit', 'visit.source', 'visit.source']],
  ])('reads the days of a year once for each breakdown, with %j', async (query, expected) => {
    const storage = { databaseUrl: engine === 'postgres' ? engine : null }
    const sent = await statementsOn(storage, () => read(`from=2025-11-17&to=2026-11-16&${query}`))
    const series = sent.flatMap(({ sql, parameters }) => {
      if (!/\bcounts\b/.test(sql) || sql.includes('min(at)')) return []
      const named = [...parameters, ...Array.from(sql.matchAll(/'(visit[^' ]*)'/g), ([, name]) => name)]
      return named.find((name) => name === 'visit' || name === 'visit.source') ?? []
    })
    expect(series.sort()).toEqual(expected)
  })

  test('shows months and hours', async () => {
    const months = await read('from=2026-10-01&to=2026-11-16&step=month')
    expect(months.series.map((point) => [point.at, point.visits])).toEqual([
      ['2026-10-01T03:00:00.000Z', 7],
      ['2026-11-01T03:00:00.000Z', 143],
    ])
    const hours = await read('from=2026-11-15&to=2026-11-15&step=hour')
    expect(hours.series).toHaveLength(24)
    expect(hours.series[12]).toMatchObject({ at: '2026-11-15T15:00:00.000Z', visits: 140 })
  })

  test('says since when visits are counted', async () => {
    expect((await read('from=2026-11-15&to=2026-11-15')).since).toBe('2026-10-31T15:00:00.000Z')
    await database.db.deleteFrom('counts').where('resolution', '=', 'ten_minutes').execute()
    expect((await read('from=2026-11-15&to=2026-11-15')).since).toBe('2026-10-31T03:00:00.000Z')
    await database.db.deleteFrom('counts').execute()
    expect((await read('from=2026-11-15&to=2026-11-15')).since).toBeNull()
  })

  test('notices a proxy that hides addresses', async () => {
    await addCounts(database.db, [{ series: 'visit', key: 'unresolved', at: at('2026-11-15'), by: 101 }])
    expect((await read('from=2026-11-15&to=2026-11-15')).hides_addresses).toBe(true)
  })

  test('exports the breakdown, with names and without small numbers', async () => {
    const answer = await app.inject({ url: '/admin/api/visits/export?from=2026-11-15&to=2026-11-16' })
    expect(answer.body.split('\r\n')).toEqual([
      '"canal","visitas","visitantes somados dia a dia","cliques em Abrir Conta","cliques em Falar com Especialista"',
      '"Busca paga","100","80","10","menos de 5"',
      '"Direto ou desconhecido","43","33","menos de 5","6"',
      '',
    ])
  })

  test.each([
    'from=2026-11-16&to=2026-11-15',
    'from=2026-02-30&to=2026-03-01',
    'from=2026-11-15',
    'from=2020-01-01&to=2026-11-15',
    'from=2026-11-15&to=2026-11-15&step=week',
    'from=2026-11-15&to=2026-11-15&by=address',
    'from=2026-11-15&to=2026-11-15&step=hour&channel=direct',
    'from=2026-01-15&to=2026-11-15&step=hour',
  ])('refuses %s', async (query) => {
    expect((await get(query)).statusCode).toBe(400)
  })
})
