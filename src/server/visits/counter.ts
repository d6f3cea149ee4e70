import type { IncomingHttpHeaders } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { isbot } from 'isbot'
import { HOUR_MS, MINUTE_MS } from '#contract/durations.ts'
import { TEST_QUERY } from '#contract/tag-test.ts'
import { OBJECTION_COOKIE } from '#contract/visit-paths.ts'
import { type Click, OTHERS } from '#contract/visit-report.ts'
import type { Arrival } from '#contract/visits.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import { RegularFlush } from '../db/transactions/flush.ts'
import type { Logger } from '../http/logging/logger.ts'
import { readCookie } from '../http/requests.ts'
import { ownHosts } from '../http/security/own-origins.ts'
import {
  addressBlock,
  clientAddress,
  createAddressReader,
  isPublicAddress,
} from '../http/sockets/addresses.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { addCounts, type Count, sumCounts } from '../stats/counts.ts'
import { type SiteDay, siteDayOf, VISIT_GAP_MS } from '../stats/series.ts'
import { arrivalOf, readSource, type Source } from './arrival.ts'
import { DayVisitors, type View } from './visitors.ts'

/** Different page views that wait for the next write; beyond, only their number is kept. */
const MAX_WAITING = 20_000

/** While nothing can be written, at most about so many views and clicks wait; then requests wait. */
const MAX_UNWRITTEN = 100_000

/** Longer ones are no browser's, and would fill the memory while they wait. */
const MAX_AGENT_LENGTH = 1_000
const MAX_TEXT_LENGTH = 2_000

/** Anybody can invent campaigns: so many sources a day and new ones an hour; others are counted as `OTHERS`. */
const MAX_SOURCES_A_DAY = 1_000
const MAX_NEW_AN_HOUR = 200

const MAX_KNOWN_AGENTS = 5_000

/** Different views that are read before others get their turn. */
const READ_AT_ONCE = 200

/** A page view as the request told it: forgotten within a second. */
interface Request {
  at: number
  address: string | undefined
  forwardedFor: string | undefined
  agent: string | undefined
  referrer: string | undefined
  query: string | null
  page: `/${string}`
  /** What `Sec-Fetch-Dest` and `Sec-Fetch-Mode` say: a page that a person opens, something else, or nothing. */
  opens: 'page' | 'other' | 'unknown'
  isPrefetch: boolean
  /** Global Privacy Control. */
  hasGpc: boolean
  /** The visitor does not want to be counted. */
  objects: boolean
  /** What a call says itself; null for a request of the page. */
  arrival: Arrival | null
  click: Click | null
}

/** Requests that differ only in time, which a reloading visitor or a benchmark makes. */
interface SameRequests {
  /** The first of them. */
  request: Request
  by: number
  /** When the last one came. */
  last: number
}

/** A view to be counted, without anything that identifies the visitor but the key of the day. */
interface CountedView extends View {
  source: Source
}

interface Batch {
  /** By time, series and key: equal ones are added up. */
  counts: Map<string, Count>
  /** Clicks by source. */
  clicks: { at: number; name: Click; source: Source; by: number }[]
  views: CountedView[]
}

/** What is read of a request of the page. */
export interface PageRequest {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}

interface VisitCounterDeps {
  config: Config
  db: Db
  secrets: Secrets
  log: Logger
  /** Whether visits of this path are counted. */
  isPage: (path: string) => boolean
  flushMs?: number
  now?: () => number
}

/**
 * Counts visits without cookies and without keeping who came. A request only adds to a list; once a second the list is
 * read, and visitors and counts are written in one transaction. A killed process loses its last second.
 */
export class VisitCounter {
  readonly #db: Db
  readonly #visitors: DayVisitors
  readonly #addressOf: ReturnType<typeof createAddressReader>
  readonly #isHttps: boolean
  readonly #trustsProxy: boolean
  readonly #ownHosts: ReadonlySet<string>
  readonly #flush: RegularFlush
  readonly #now: () => number
  readonly #isPage: (path: string) => boolean
  readonly #agents = new Map<string, boolean>()
  readonly #waiting: SameRequests[] = []
  /** The newest of `#waiting` by address. */
  readonly #lastOf = new Map<string, SameRequests>()
  #uncounted = 0
  #unwritten: Batch = emptyBatch()
  #sources = { date: '', known: new Set<string>(), hour: 0, added: 0 }
  #hasStarted = false

  constructor({ config, db, secrets, log, isPage, flushMs, now = Date.now }: VisitCounterDeps) {
    this.#db = db
    this.#now = now
    this.#isPage = isPage
    this.#visitors = new DayVisitors(db, secrets)
    this.#addressOf = createAddressReader(config.trustProxy)
    this.#trustsProxy = config.trustProxy !== false
    this.#isHttps = config.siteUrl.startsWith('https:')
    this.#ownHosts = ownHosts(config)
    this.#flush = new RegularFlush({ what: 'visits', write: () => this.#write(), log, everyMs: flushMs })
  }

  /** In the request of a page, so it only adds to a list. */
  addRequest({ headers, socket }: PageRequest, page: `/${string}`, query: string | null): void {
    this.#add({
      at: this.#now(),
      address: socket.remoteAddress,
      forwardedFor: shorterThan(headers['x-forwarded-for'] as string | undefined, MAX_TEXT_LENGTH),
      agent: shorterThan(headers['user-agent'], MAX_AGENT_LENGTH),
      referrer: shorterThan(headers.referer, MAX_TEXT_LENGTH),
      query: query !== null && query.length > MAX_TEXT_LENGTH ? null : query,
      page,
      opens: whatOpens(headers['sec-fetch-dest'], headers['sec-fetch-mode']),
      isPrefetch: isPrefetch(headers),
      hasGpc: headers['sec-gpc'] === '1',
      objects: objects(headers.cookie),
      arrival: null,
      click: null,
    })
  }

  /**
   * A page that was shown without a request, or a click: the page calls and says how its visitor came. Its browser names
   * the page in `Referer`; one that has none there is taken for the first page.
   */
  addCall(request: FastifyRequest, arrival: Arrival, click: Click | null): void {
    const { headers } = request
    const from = URL.parse(shorterThan(headers.referer, MAX_TEXT_LENGTH) ?? '')
    const path = from?.pathname as `/${string}` | undefined
    this.#add({
      at: this.#now(),
      address: clientAddress(request),
      forwardedFor: undefined,
      agent: shorterThan(headers['user-agent'], MAX_AGENT_LENGTH),
      referrer: undefined,
      query: from?.search.slice(1) ?? null,
      page: path !== undefined && this.#isPage(path) ? path : '/',
      opens: 'page',
      isPrefetch: false,
      hasGpc: headers['sec-gpc'] === '1',
      objects: objects(headers.cookie),
      arrival,
      click,
    })
  }

  /**
   * A repeated request only adds one to the request before. That is compared field by field, because building a text of
   * all fields as a key, and keeping each request for a second, took most of the time of counting.
   */
  #add(request: Request): void {
    const address = request.forwardedFor ?? request.address ?? ''
    const before = this.#lastOf.get(address)
    if (before !== undefined && isRepeated(before.request, request)) {
      before.by++
      before.last = Math.max(before.last, request.at)
      return
    }
    if (this.#waiting.length >= MAX_WAITING) {
      this.#uncounted++
      return
    }
    const first = { request, by: 1, last: request.at }
    this.#waiting.push(first)
    this.#lastOf.set(address, first)
  }

  /** Resolves when everything added before is stored, or could not be. */
  flush(): Promise<void> {
    return this.#flush.now()
  }

  stop(): Promise<void> {
    return this.#flush.stop()
  }

  async #write(): Promise<void> {
    const now = this.#now()
    const today = siteDayOf(now)
    if (!this.#hasStarted) {
      // A row without a count says since when visits are counted.
      await addCounts(this.#db, [{ series: 'visit', key: 'views', at: now, by: 0 }])
      this.#hasStarted = true
    }
    await this.#read(now)
    for (const [day, batch] of byDay(this.#unwritten)) {
      await this.#store(day, batch)
      this.#unwritten = withoutDay(this.#unwritten, day)
    }
    await this.#visitors.prepareNext(today, now)
    await this.#visitors.clear(now)
  }

  /** Turns requests into views and forgets them. Requests stay in the list if the day's secret cannot be read. */
  async #read(now: number): Promise<void> {
    const { counts, clicks, views } = this.#unwritten
    if (counts.size + clicks.length + views.length > MAX_UNWRITTEN) return
    const keysOf = new Map<string, Awaited<ReturnType<DayVisitors['prepare']>> | null>()
    // Others may come meanwhile, of another day too: they are read next time.
    const found = [...this.#waiting]
    for (const { request } of found) {
      const day = siteDayOf(request.at)
      if (keysOf.has(day.date)) continue
      // The keys of a day that ended are destroyed: what was late only counts as views.
      const hasKeys = now - day.end <= VISIT_GAP_MS
      keysOf.set(day.date, hasKeys ? await this.#visitors.prepare(day, request.at) : null)
    }
    this.#waiting.splice(0, found.length)
    this.#lastOf.clear()
    if (this.#uncounted > 0) {
      this.#count({ series: 'visit', key: 'uncounted', at: now, by: this.#uncounted })
      this.#uncounted = 0
    }
    for (const [index, requests] of found.entries()) {
      if (index > 0 && index % READ_AT_ONCE === 0) await turn()
      this.#readRequests(requests, keysOf.get(siteDayOf(requests.request.at).date) ?? null)
    }
  }

  #count(count: Count & { at: number; by: number }): void {
    const { counts } = this.#unwritten
    const id = `${slotOf(count.at)} ${count.series} ${count.key}`
    const known = counts.get(id)
    if (known === undefined) counts.set(id, count)
    else known.by = (known.by ?? 1) + count.by
  }

  #readRequests(
    { request, by, last }: SameRequests,
    keysOf: ((who: string, at: number) => Pick<View, 'key' | 'keyBefore'>) | null,
  ): void {
    const { clicks, views } = this.#unwritten
    const add = (key: Extract<Count, { series: 'visit' }>['key']) =>
      this.#count({ series: 'visit', key, at, by })
    const { at, agent, page, opens, click } = request
    if (request.isPrefetch) {
      add('prefetches')
      return
    }
    if (opens === 'other' || request.objects || request.query === TEST_QUERY) return
    if (agent === undefined || this.#isRobot(agent, opens)) {
      if (click === null) add('robots')
      return
    }
    const source = readSource(
      { ...arrivalOf(request.query, request.referrer), ...request.arrival },
      this.#ownHosts,
      agent,
    )
    if (click !== null) {
      clicks.push({ at, name: click, source, by })
      add(`click:${click}`)
      return
    }
    add('views')
    this.#count({ series: 'visit.page', key: page, at, by })
    if (request.hasGpc) {
      add('gpc')
      return
    }
    const address =
      request.arrival === null
        ? this.#addressOf(request.address, request.forwardedFor)
        : (request.address ?? '')
    if (!isPublicAddress(address) || (request.forwardedFor !== undefined && !this.#trustsProxy))
      add('unresolved')
    if (keysOf === null) return
    const who = `${addressBlock(address)}\n${agent}`
    views.push({ at, last, source, ...keysOf(who, at) })
  }

  /** Honest robots name themselves. Browsers send `Sec-Fetch-*` to every https page; what claims to be one does not. */
  #isRobot(agent: string, opens: Request['opens']): boolean {
    if (agent === '' || (this.#isHttps && opens === 'unknown')) return true
    const known = this.#agents.get(agent)
    if (known !== undefined) return known
    const isRobot = isbot(agent)
    if (this.#agents.size >= MAX_KNOWN_AGENTS) this.#agents.clear()
    this.#agents.set(agent, isRobot)
    return isRobot
  }

  async #store(day: SiteDay, { counts, clicks, views }: Batch): Promise<void> {
    await change(this.#db, async (trx) => {
      const begun = await this.#visitors.store(trx, day, views)
      const wanted = [
        ...clicks.map(({ at, name, source, by }) => ({ metric: name, at, source, by })),
        ...views.flatMap(({ at, source }, index) => [
          ...(begun[index]?.isVisit ? [{ metric: 'visits' as const, at, source, by: 1 }] : []),
          ...(begun[index]?.isVisitor ? [{ metric: 'visitors' as const, at, source, by: 1 }] : []),
        ]),
      ]
      const keyOf = await this.#admit(trx, day, wanted)
      await addCounts(trx, [
        ...counts.values(),
        ...wanted.flatMap(({ metric, at, source, by }): Count[] => [
          { series: 'visit.source', key: `${metric} ${keyOf(source)}`, at, by },
          ...(metric === 'visits' || metric === 'visitors'
            ? [{ series: 'visit', key: metric, at, by } as const]
            : []),
        ]),
      ])
    })
    this.#visitors.wasStored(day)
  }

  /** The key by which each source is counted: its own, or its channel and device once the day has too many. */
  async #admit(
    trx: Db,
    day: SiteDay,
    wanted: readonly { source: Source; at: number }[],
  ): Promise<(source: Source) => string> {
    if (this.#sources.date !== day.date)
      this.#sources = { date: day.date, known: new Set(), hour: 0, added: 0 }
    const { known } = this.#sources
    let hasRead = false
    for (const { source, at } of wanted) {
      const key = keyOfSource(source)
      if (known.has(key) || isCoarse(source)) continue
      if (known.size >= MAX_SOURCES_A_DAY) break
      if (!hasRead) for (const stored of await readSources(trx, day)) known.add(stored)
      hasRead = true
      const hour = Math.floor(at / HOUR_MS)
      if (this.#sources.hour !== hour) Object.assign(this.#sources, { hour, added: 0 })
      if (known.has(key) || known.size >= MAX_SOURCES_A_DAY || this.#sources.added >= MAX_NEW_AN_HOUR)
        continue
      known.add(key)
      this.#sources.added++
    }
    return (source) => {
      const key = keyOfSource(source)
      return known.has(key) || isCoarse(source) ? key : keyOfSource(coarse(source))
    }
  }
}

export function keyOfSource({ channel, source, medium, campaign, term, device }: Source): string {
  return JSON.stringify([channel, source, medium, campaign, term, device])
}

/** Channel and device are fixed lists, so they are always counted. */
function coarse({ channel, device }: Source): Source {
  return { channel, source: OTHERS, medium: OTHERS, campaign: OTHERS, term: OTHERS, device }
}

function isCoarse({ source, medium, campaign, term }: Source): boolean {
  return [source, medium, campaign, term].every((value) => value === OTHERS)
}

/** The sources that any process counted on the day. */
async function readSources(trx: Db, { start, end }: SiteDay): Promise<Set<string>> {
  const rows = await sumCounts(trx, { series: 'visit.source', resolution: 'day', from: start, to: end })
  return new Set(rows.map(({ key }) => key.slice(key.indexOf(' ') + 1)))
}

/** The finest time in which visits are counted: never in two days, and never two visits of one visitor. */
const SLOT_MS = 10 * MINUTE_MS

function slotOf(at: number): number {
  return Math.floor(at / SLOT_MS)
}

function isRepeated(before: Request, request: Request): boolean {
  return (
    before.agent === request.agent &&
    before.address === request.address &&
    before.forwardedFor === request.forwardedFor &&
    before.referrer === request.referrer &&
    before.query === request.query &&
    before.page === request.page &&
    before.opens === request.opens &&
    before.isPrefetch === request.isPrefetch &&
    before.hasGpc === request.hasGpc &&
    before.objects === request.objects &&
    // A call says more than that.
    before.arrival === null &&
    request.arrival === null &&
    slotOf(before.at) === slotOf(request.at)
  )
}

function whatOpens(
  destination: string | string[] | undefined,
  mode: string | string[] | undefined,
): Request['opens'] {
  if (destination === undefined && mode === undefined) return 'unknown'
  return (destination ?? 'document') === 'document' && (mode ?? 'navigate') === 'navigate' ? 'page' : 'other'
}

/** Fetched before anybody opens it. Older browsers have other names for `Sec-Purpose`. */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-purpose'] ?? headers['x-moz']
  return typeof purpose === 'string' && /prefetch|preview/i.test(purpose)
}

function objects(cookies: string | undefined): boolean {
  return cookies !== undefined && readCookie(cookies, OBJECTION_COOKIE) !== null
}

function shorterThan(text: string | undefined, length: number): string | undefined {
  return text !== undefined && text.length <= length ? text : undefined
}

function emptyBatch(): Batch {
  return { counts: new Map(), clicks: [], views: [] }
}

function byDay(batch: Batch): [SiteDay, Batch][] {
  const days = new Map<string, [SiteDay, Batch]>()
  const partOf = (at: number): Batch => {
    const day = siteDayOf(at)
    const known = days.get(day.date) ?? [day, emptyBatch()]
    days.set(day.date, known)
    return known[1]
  }
  for (const [id, count] of batch.counts) partOf(count.at ?? 0).counts.set(id, count)
  for (const click of batch.clicks) partOf(click.at).clicks.push(click)
  for (const view of batch.views) partOf(view.at).views.push(view)
  for (const [, part] of days.values()) part.views.sort((a, b) => a.at - b.at)
  return [...days.values()].sort(([a], [b]) => a.start - b.start)
}

function withoutDay({ counts, clicks, views }: Batch, { start, end }: SiteDay): Batch {
  const isOther = ({ at = 0 }: { at?: number }) => at < start || at >= end
  return {
    counts: new Map([...counts].filter(([, count]) => isOther(count))),
    clicks: clicks.filter(isOther),
    views: views.filter(isOther),
  }
}
