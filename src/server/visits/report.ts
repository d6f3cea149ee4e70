import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import { nextSiteDay, siteDate, startOfSiteDate } from '#contract/site.ts'
import {
  type Cell,
  type Click,
  FEW,
  MIN_CELL,
  nameOfValue,
  VISIT_DIMENSIONS,
  VISIT_STEPS,
  type VisitDimension,
  type VisitedPage,
  type VisitPoint,
  type VisitReport,
  type VisitRow,
  type VisitStep,
} from '#contract/visit-report.ts'
import type { Db } from '../db/database.ts'
import { containsText, engineOf } from '../db/dialect.ts'
import { AppError } from '../http/errors.ts'
import { toCsvLine } from '../http/requests.ts'
import { readCounts, type StoredCount, sumCounts } from '../stats/counts.ts'
import { addValues, type OutcomeSource, readOutcomeSources } from './outcome-sources.ts'

const MAX_DAYS = 800
/** Hours are kept for 90 days. */
const MAX_HOUR_DAYS = 31

/** Fewer views than this say nothing about the proxy. */
const MIN_VIEWS = 50

export interface VisitReportDeps {
  db: Db
  isOn: boolean
  /** Subscriptions stored in each span. */
  countSubscriptions: (
    spans: readonly (readonly [from: number, to: number])[],
  ) => Promise<{ counts: number[] }>
}

const date = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))
const filterValue = z.optional(z.string().check(z.maxLength(100)))

const querySchema = z.strictObject({
  from: date,
  to: date,
  step: z._default(z.enum(VISIT_STEPS), 'day'),
  by: z._default(z.enum(VISIT_DIMENSIONS), 'channel'),
  ...(Object.fromEntries(VISIT_DIMENSIONS.map((name) => [name, filterValue])) as Record<
    VisitDimension,
    typeof filterValue
  >),
})

/** Routes for visits under `/admin/api`. */
export function registerVisitReport(scope: FastifyInstance, deps: VisitReportDeps): void {
  /** Visits of some days. Query: `from`, `to`, `step`, `by`, and dimensions as filters. */
  scope.get('/admin/api/visits', async (request) => readReport(deps, readQuery(request.query)))

  /** The breakdown of the same as CSV. */
  scope.get('/admin/api/visits/export', async (request, reply) => {
    const query = readQuery(request.query)
    const { rows } = await readReport(deps, query)
    reply.type('text/csv; charset=utf-8').header('cache-control', 'no-store')
    return reply.send(
      [CSV_HEAD(query.by), ...rows.map((row) => csvCells(query.by, row))].map(toCsvLine).join(''),
    )
  })
}

/** The same report for another module, such as the summary of the week. */
export function readVisits(deps: VisitReportDeps, query: Record<string, string>): Promise<VisitReport> {
  return readReport(deps, readQuery(query))
}

interface Query {
  from: number
  /** Exclusive. */
  to: number
  step: VisitStep
  by: VisitDimension
  filters: [VisitDimension, string][]
}

function readQuery(input: unknown): Query {
  const parsed = querySchema.safeParse(input)
  if (!parsed.success) throw refuse('Escolha um período e uma divisão que existem.')
  const { from: fromDate, to: toDate, step, by, ...filters } = parsed.data
  if (!isDate(fromDate) || !isDate(toDate) || fromDate > toDate)
    throw refuse('O período precisa ter um começo e um fim, nesta ordem.')
  const from = startOfSiteDate(fromDate)
  const to = nextSiteDay(startOfSiteDate(toDate))
  const days = (to - from) / DAY_MS
  if (days > MAX_DAYS) throw refuse('Escolha um período de até 800 dias.')
  const given = Object.entries(filters).filter(([, value]) => value !== undefined) as Query['filters']
  if (step === 'hour' && (given.length > 0 || days > MAX_HOUR_DAYS))
    throw refuse('Por hora, escolha até 31 dias e nenhum filtro.')
  return { from, to, step, by, filters: given }
}

function refuse(message: string): AppError {
  return new AppError(400, 'bad_request', message)
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) && text > '2000'
}

interface Numbers {
  visits: number
  visitors: number
  lead: number
  contact: number
}

/** What `GET /admin/api/visits` answers. */
async function readReport(deps: VisitReportDeps, query: Query): Promise<VisitReport> {
  const { db, isOn, countSubscriptions } = deps
  const { from, to, filters } = query
  const isFiltered = filters.length > 0
  const found = readSources(db, query)
  const [days, points, sources, outcomes, subscriptions, pages, since] = await Promise.all([
    readCounts(db, { series: 'visit', resolution: 'day', subject: '', from, to }),
    isFiltered
      ? found.then((sources) => readFilteredDays(db, query, sources))
      : query.step === 'hour'
        ? readHours(db, query)
        : null,
    found,
    readResults(db, query),
    isFiltered ? null : countSubscriptions([[from, to]]),
    isFiltered ? [] : readPages(db, query),
    readVisitsSince(db),
  ])
  const totals = toTotals(days)
  const all = isFiltered ? add(sources.map(({ numbers }) => numbers)) : totals.numbers
  const { views, robots, unresolved } = totals
  return {
    is_on: isOn,
    since,
    totals: {
      views: isFiltered ? null : views,
      ...toCells(all, isFiltered),
      ...(outcomes === null ? {} : { results: toCell(countOutcomes(outcomes), isFiltered) }),
      subscriptions: subscriptions?.counts[0] ?? null,
      robots: isFiltered ? null : robots,
    },
    series: toSeries(points ?? toMetrics(days), query),
    rows: toRows(sources, isKnownOfOutcomes(query.by) ? outcomes : null, query),
    pages,
    estimated_days: totals.estimated,
    hides_addresses: views >= MIN_VIEWS && unresolved * 2 > views,
  }
}

function toTotals(rows: readonly StoredCount<'visit'>[]) {
  const sum = (key: string) =>
    rows.filter((row) => row.key === key).reduce((total, { count }) => total + count, 0)
  return {
    numbers: {
      visits: sum('visits'),
      visitors: sum('visitors'),
      lead: sum('click:lead'),
      contact: sum('click:contact'),
    },
    views: sum('views'),
    robots: sum('robots'),
    unresolved: sum('unresolved'),
    estimated: [
      ...new Set(rows.filter(({ key }) => key === 'estimated').map(({ at }) => siteDate(Date.parse(at)))),
    ].sort(),
  }
}

async function readPages(db: Db, { from, to }: Query): Promise<VisitedPage[]> {
  const pages = await sumCounts(db, { series: 'visit.page', resolution: 'day', subject: '', from, to })
  return pages
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
    .map(({ key, count }) => ({ path: key, views: toCell(count, true) }))
}

interface SourceNumbers {
  /** As they are stored, one for each metric. */
  keys: string[]
  values: Record<VisitDimension, string>
  numbers: Numbers
}

/** SQLite sorts what it groups. Sorting twelve months one by one takes less time than a year at once. */
const SORTED_MS = 31 * DAY_MS

/** Every source of the period that passes the filters. */
async function readSources(db: Db, query: Query): Promise<SourceNumbers[]> {
  const parts = []
  for (let from = query.from; from < query.to; from += SORTED_MS) {
    const part = { from, to: Math.min(from + SORTED_MS, query.to) }
    parts.push(
      sql`select key, sum(count) as count ${fromSources(db, part)} ${mayPass(db, query)} group by key`,
    )
  }
  const { rows } = await sql<{ key: string; count: number | string }>`
    select key, sum(count) as count from (${sql.join(parts, sql` union all `)}) as parts group by key`.execute(
    db,
  )
  const sources = new Map<string, SourceNumbers>()
  for (const { key, count } of rows) {
    const [metric, text] = splitKey(key)
    let source = sources.get(text)
    if (source === undefined) {
      source = { keys: [], values: readValues(text), numbers: none() }
      sources.set(text, source)
    }
    source.keys.push(key)
    source.numbers[metric] += Number(count)
  }
  return [...sources.values()].filter(({ values }) =>
    query.filters.every(([name, value]) => values[name] === value),
  )
}

function splitKey(key: string): [keyof Numbers, string] {
  const at = key.indexOf(' ')
  return [key.slice(0, at) as keyof Numbers, key.slice(at + 1)]
}

/** The reverse of `keyOfSource`. */
function readValues(text: string): Record<VisitDimension, string> {
  const [channel = '', source = '', medium = '', campaign = '', term = '', device = ''] = JSON.parse(
    text,
  ) as string[]
  return { channel, source, medium, campaign, term, device }
}

/** Outcomes know the channel and the campaign of their visit and nothing else. */
const isKnownOfOutcomes = (name: VisitDimension) => name === 'channel' || name === 'campaign'

/** Null if a filter asks for more. */
async function readResults(db: Db, { from, to, filters }: Query): Promise<OutcomeSource[] | null> {
  if (!filters.every(([name]) => isKnownOfOutcomes(name))) return null
  const sources = await readOutcomeSources(db, from, to)
  return sources.filter((source) =>
    filters.every(([name, value]) => source[name as 'channel' | 'campaign'] === value),
  )
}

function countOutcomes(outcomes: readonly OutcomeSource[]): number {
  return outcomes.reduce((sum, each) => sum + each.count, 0)
}

function toResults(outcomes: readonly OutcomeSource[]): Pick<VisitRow, 'results' | 'values'> {
  const results = toCell(countOutcomes(outcomes), true)
  return { results, values: results === null ? [] : addValues(outcomes) }
}

function toRows(
  sources: readonly SourceNumbers[],
  outcomes: readonly OutcomeSource[] | null,
  { by }: Query,
): VisitRow[] {
  const groups = Map.groupBy(sources, ({ values }) => values[by])
  const results = Map.groupBy(outcomes ?? [], (source) => source[by as 'channel' | 'campaign'])
  // The visit of an outcome may be of an earlier day.
  for (const key of results.keys()) if (!groups.has(key)) groups.set(key, [])
  return [...groups]
    .map(([key, members]) => ({ key, numbers: add(members.map(({ numbers }) => numbers)) }))
    .sort((a, b) => b.numbers.visits - a.numbers.visits || (a.key < b.key ? -1 : 1))
    .map(({ key, numbers }) => {
      const cells = toCells(numbers, true)
      const { visits, clicks } = cells
      return {
        key,
        ...cells,
        rate: visits && clicks.lead !== null ? clicks.lead / visits : null,
        ...(outcomes === null ? {} : toResults(results.get(key) ?? [])),
      }
    })
}

function toSeries(counted: readonly MetricCount[], { from, to, step, filters }: Query): VisitPoint[] {
  const points = new Map<number, Numbers>()
  for (let at = startOfStep(step, from); at < to; at = nextStep(step, at)) points.set(at, none())
  // Counts lie at the start of their hour or day. Looking up the calendar for each would cost more than the query.
  const months = new Map([...points.keys()].map((at) => [siteDate(at).slice(0, 7), at]))
  const pointOf = (at: number) => (step === 'month' ? months.get(siteDate(at).slice(0, 7)) : at)
  for (const [at, counts] of Map.groupBy(counted, (count) => count.at)) {
    const numbers = points.get(pointOf(Date.parse(at)) ?? 0)
    if (numbers !== undefined) for (const { metric, count } of counts) numbers[metric] += count
  }
  return [...points].map(([at, numbers]) => ({
    at: new Date(at).toISOString(),
    ...toCells(numbers, filters.length > 0),
  }))
}

interface MetricCount {
  at: string
  metric: keyof Numbers
  count: number
}

const METRICS = Object.keys(none()) as (keyof Numbers)[]

function toMetrics(rows: readonly StoredCount<'visit'>[]): MetricCount[] {
  return rows.flatMap(({ key, at, count }) => {
    const metric = METRICS.find((name) => name === key.replace('click:', ''))
    return metric === undefined ? [] : [{ at, metric, count }]
  })
}

async function readHours(db: Db, { from, to }: Query): Promise<MetricCount[]> {
  return toMetrics(await readCounts(db, { series: 'visit', resolution: 'hour', subject: '', from, to }))
}

/**
 * In the order of the primary key, so that the database sums a year without sorting it. A year has tens of thousands of
 * rows but few different keys: the keys are compared as they are, and their JSON is read once.
 */
async function readFilteredDays(
  db: Db,
  query: Query,
  sources: readonly SourceNumbers[],
): Promise<MetricCount[]> {
  const keys = sources.flatMap((source) => source.keys)
  const isWanted =
    engineOf(db) === 'sqlite'
      ? sql`key in (select value from json_each(${JSON.stringify(keys)}))`
      : sql`key = any(${keys}::text[])`
  const sums = METRICS.map(
    (metric) =>
      sql`sum(case when key like ${sql.lit(`${metric} %`)} then count else 0 end) as ${sql.ref(metric)}`,
  )
  const { rows } = await sql<{ at: string } & Record<keyof Numbers, number | string>>`
    select at, ${sql.join(sums)} ${fromSources(db, query)} and ${isWanted} group by at`.execute(db)
  return rows.flatMap((row) => METRICS.map((metric) => ({ at: row.at, metric, count: Number(row[metric]) })))
}

/**
 * All sources have the subject ''. If it is named, SQLite reads the primary key, which is the table itself. PostgreSQL
 * would read the primary key and then the table: its index of times takes a third of that.
 */
function fromSources(db: Db, { from, to }: Pick<Query, 'from' | 'to'>) {
  return sql`from counts
    where ${engineOf(db) === 'sqlite' ? sql`subject = '' and` : sql``} series = 'visit.source' and resolution = 'day'
      and at >= ${new Date(from).toISOString()} and at < ${new Date(to).toISOString()}`
}

/** Leaves out most sources that do not pass the filters: the value occurs nowhere in them. */
function mayPass(db: Db, { filters }: Query) {
  return sql.join(
    filters.map(([, value]) => sql`and ${containsText(db, sql.ref('key'), JSON.stringify(value))}`),
    sql` `,
  )
}

function startOfStep(step: VisitStep, time: number): number {
  if (step === 'hour') return Math.floor(time / HOUR_MS) * HOUR_MS
  const day = siteDate(time)
  return startOfSiteDate(step === 'day' ? day : `${day.slice(0, 7)}-01`)
}

function nextStep(step: VisitStep, start: number): number {
  if (step === 'hour') return start + HOUR_MS
  if (step === 'day') return nextSiteDay(start)
  return startOfStep('month', start + 32 * DAY_MS)
}

/** When counting began, as exactly as it is still known. */
export async function readVisitsSince(db: Db): Promise<string | null> {
  const { rows } = await sql<{ day: string | null; slot: string | null }>`
    select ${firstOf('day')} as day, ${firstOf('ten_minutes')} as slot`.execute(db)
  const { day = null, slot = null } = rows[0] ?? {}
  if (day === null) return null
  const start = new Date(day).toISOString()
  return slot !== null && siteDate(Date.parse(slot)) === siteDate(Date.parse(start))
    ? new Date(slot).toISOString()
    : start
}

function firstOf(resolution: 'day' | 'ten_minutes') {
  return sql`(select min(at) from counts
    where subject = '' and series = 'visit' and resolution = ${sql.lit(resolution)})`
}

function none(): Numbers {
  return { visits: 0, visitors: 0, lead: 0, contact: 0 }
}

function add(list: readonly Numbers[]): Numbers {
  const sum = none()
  for (const numbers of list)
    for (const key of Object.keys(sum) as (keyof Numbers)[]) sum[key] += numbers[key]
  return sum
}

function toCell(count: number, hidesFew: boolean): Cell {
  return hidesFew && count > 0 && count < MIN_CELL ? null : count
}

function toCells({ visits, visitors, lead, contact }: Numbers, hidesFew: boolean) {
  const cell = (count: number) => toCell(count, hidesFew)
  return {
    visits: cell(visits),
    visitors: cell(visitors),
    clicks: { lead: cell(lead), contact: cell(contact) } satisfies Record<Click, Cell>,
  }
}

const DIMENSION_HEADS: Record<VisitDimension, string> = {
  channel: 'canal',
  campaign: 'campanha',
  source: 'origem',
  medium: 'mídia',
  term: 'termo',
  device: 'dispositivo',
}

const CSV_HEAD = (by: VisitDimension) => [
  DIMENSION_HEADS[by],
  'visitas',
  'visitantes somados dia a dia',
  'cliques em Abrir Conta',
  'cliques em Falar com Especialista',
]

function csvCells(by: VisitDimension, { key, visits, visitors, clicks }: VisitRow): string[] {
  const cell = (value: Cell) => (value === null ? FEW : String(value))
  return [nameOfValue(by, key), cell(visits), cell(visitors), cell(clicks.lead), cell(clicks.contact)]
}
