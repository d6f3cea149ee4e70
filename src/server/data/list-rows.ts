import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { AppError } from '../http/errors.ts'
import { LONG_LISTS } from '../http/limits/limits.ts'
import type { Caller } from '../http/security/administrators.ts'
import { liftCallDeadline } from '../http/sockets/raw-server.ts'
import type { DataService } from './data-service.ts'
import { notSingular, serverBusy } from './errors.ts'
import {
  type KeyedSize,
  type ListText,
  PAGE_BYTES,
  PAGE_ROWS,
  planRead,
  type ReadPlan,
  splitListText,
} from './read-plan.ts'
import { type Call, contentRange, listStatus, narrowRange, readQuery } from './request.ts'
import { asDynamic, inOrder, PRIMARY_KEY, type Row } from './resource.ts'
import { formatList, formatObject, listFormat, type RowFormat } from './row-format.ts'

const MAX_LISTS = 16

const MAX_BYTES = 256_000

interface CachedList {
  /** The database's change marker when the list was read. */
  mark: string
  count: number
  body: Buffer
}

/**
 * The most recent lists, as they were sent. Each is valid while the database returns the same marker: dashboards repeat
 * the same list, and pixels change a few times a day.
 */
export class ListCache {
  readonly #lists = new Map<string, CachedList>()

  get(key: string): CachedList | undefined {
    return this.#lists.get(key)
  }

  set(key: string, list: CachedList): void {
    this.#lists.delete(key)
    if (list.body.length > MAX_BYTES) return
    const [oldest] = this.#lists.keys()
    if (this.#lists.size >= MAX_LISTS && oldest !== undefined) this.#lists.delete(oldest)
    this.#lists.set(key, list)
  }
}

/** `GET` and `HEAD`. */
export async function listRows(service: DataService, call: Call, reply: FastifyReply): Promise<FastifyReply> {
  return isPlainList(call) ? sendPlainList(service, call, reply) : sendList(service, call, reply)
}

/** The common case: an array without count or range. */
function isPlainList({ request, media, preferences }: Call): boolean {
  return (
    request.method === 'GET' &&
    media.format === 'array' &&
    !media.stripNulls &&
    !preferences.count &&
    request.headers.range === undefined
  )
}

/** Formatted by the database, or repeated if nothing has changed. */
async function sendPlainList(service: DataService, call: Call, reply: FastifyReply): Promise<FastifyReply> {
  const plan = planFor(service, call)
  if (plan.text === null) return sendList(service, call, reply)
  const key = listKey(call)
  const known = service.lists.get(key)
  const parameters = [known?.mark ?? '', ...plan.text.parameters.slice(1)]
  const [answer] = (await service.db.executeQuery<ListText>({ ...plan.text, parameters })).rows
  let list = known
  if (answer !== undefined && answer.list !== null) {
    if (answer.list === '') return sendList(service, call, reply)
    list = { mark: answer.mark, ...splitListText(answer.list) }
    service.lists.set(key, list)
  }
  if (list === undefined) throw new Error('the list is unchanged but not cached')
  return sendText(call, plan, list, reply)
}

function sendText(
  call: Call,
  plan: ReadPlan,
  { count, body }: Pick<CachedList, 'count' | 'body'>,
  reply: FastifyReply,
): FastifyReply {
  return reply
    .header('content-range', contentRange(plan.range.offset, count, null))
    .header('content-type', call.media.name)
    .send(body)
}

async function sendList(service: DataService, call: Call, reply: FastifyReply): Promise<FastifyReply> {
  const plan = rangedPlan(service, call)
  let keys = (await service.db.executeQuery(plan.keys('page'))).rows
  const isLong = keys.length > PAGE_ROWS || firstPageLength(keys) < keys.length
  // No more than one page is in memory before the turn of this response.
  if (isLong && call.request.method === 'GET') {
    liftCallDeadline(call.request)
    await service.longAnswers.turn(call.caller, reply.raw)
    const whole = isPlainList(call) ? plan.whole() : null
    const [answer] = whole === null ? [] : (await service.db.executeQuery<ListText>(whole)).rows
    if (answer?.list) return sendText(call, plan, splitListText(answer.list), reply)
  }
  if (keys.length > PAGE_ROWS) keys = (await service.db.executeQuery(plan.keys('all'))).rows
  if (call.media.format === 'object' && keys.length !== 1) throw notSingular(keys.length)

  const total = call.preferences.count ? await countRows(service, plan, keys.length) : null
  reply
    .code(listStatus(plan.range.offset, keys.length, total))
    .header('content-range', contentRange(plan.range.offset, keys.length, total))
    .header('content-type', call.media.name)
  if (call.request.method === 'HEAD') return reply.send()
  const hasKey = plan.shape.outputs.some((output) => output.name === PRIMARY_KEY)
  if (isLong) {
    const format = listFormat(plan.shape, call.media, hasKey)
    return reply.send(Readable.from(streamPages(service, plan, format, keys)))
  }
  const rows = await readPage(service, plan, keys)
  const [only] = rows
  if (call.media.format === 'object') {
    if (only === undefined) throw notSingular(0)
    return reply.send(formatObject(plan.shape, call.media, only))
  }
  return reply.send(formatList(plan.shape, call.media, rows, hasKey))
}

function listKey({ resource, search }: Call): string {
  return `${resource.name}?${search}`
}

const MAX_PLANS = 500

const MAX_CACHED_LENGTH = 2_000

/** The plan of a list by address. Values are part of the address, so a plan always belongs to one query. */
function planFor(service: DataService, call: Call): ReadPlan {
  const key = listKey(call)
  const known = service.plans.get(key)
  if (known !== undefined) return known
  const query = readQuery(call)
  const plan = planRead(call.resource, service.engine, asDynamic(service.db), query, {
    offset: query.offset,
    limit: query.limit,
  })
  if (key.length <= MAX_CACHED_LENGTH) {
    if (service.plans.size >= MAX_PLANS) service.plans.clear()
    service.plans.set(key, plan)
  }
  return plan
}

/** A `Range` header is specific to one client, so its plan is not cached. */
function rangedPlan(service: DataService, call: Call): ReadPlan {
  const header = call.request.method === 'GET' ? call.request.headers.range : undefined
  if (header === undefined) return planFor(service, call)
  const query = readQuery(call)
  const range = narrowRange({ offset: query.offset, limit: query.limit }, header)
  return planRead(call.resource, service.engine, asDynamic(service.db), query, range)
}

/** Rows may be added between list and count; the total is never below the listed number. */
async function countRows(service: DataService, plan: ReadPlan, listed: number): Promise<number> {
  const { rows } = await service.db.executeQuery(plan.count())
  const floor = listed === 0 ? 0 : plan.range.offset + listed
  return Math.max(rows[0]?.count ?? 0, floor)
}

/** How many rows from `at` make the next page: as many as fit, and at least one. */
function firstPageLength(keys: readonly KeyedSize[], at = 0): number {
  let bytes = 0
  let length = 0
  for (const { bytes: more } of keys.slice(at, at + PAGE_ROWS)) {
    bytes += more
    if (bytes > PAGE_BYTES && length > 0) break
    length++
  }
  return length
}

async function readPage(service: DataService, plan: ReadPlan, page: readonly KeyedSize[]): Promise<Row[]> {
  if (page.length === 0) return []
  const keys = page.map(({ id }) => id)
  const { rows } = await service.db.executeQuery(plan.pageOf(keys))
  return inOrder(keys, rows)
}

/**
 * A long list is read as ordered keys at one moment; its rows follow page by page at the reader's pace. A write between
 * two pages cannot shift the list, repeat a row or hide one: a changed row appears in its newer form, a deleted one is
 * left out. A cursor would hold a connection for as long as the slowest client reads.
 */
async function* streamPages(
  service: DataService,
  plan: ReadPlan,
  format: RowFormat,
  keys: readonly KeyedSize[],
): AsyncGenerator<string> {
  let lead = format.open
  for (let at = 0; at < keys.length; ) {
    const length = firstPageLength(keys, at)
    const rows = await readPage(service, plan, keys.slice(at, at + length))
    at += length
    if (rows.length === 0) continue
    yield lead + format.page(rows)
    lead = format.separator
  }
  yield lead === format.open ? format.open + format.close : format.close
}

interface Waiting {
  person: string
  go: () => void
}

/** Limits long responses to one per person and a few in total; the others wait. */
export class LongAnswers {
  readonly #busy = new Set<string>()
  #waiting: Waiting[] = []

  /** Resolves when it is this response's turn, which lasts until it is sent or its reader is gone. */
  async turn(caller: Caller, response: ServerResponse): Promise<void> {
    const person = caller.kind === 'user' ? caller.userId : caller.kind
    if (this.#isFree(person)) this.#busy.add(person)
    else await this.#wait(person, response)
    const over = () => {
      this.#busy.delete(person)
      this.#next()
    }
    if (response.closed || response.destroyed) return over()
    response.once('close', over)
    response.setTimeout(LONG_LISTS.stalledMs)
  }

  #isFree(person: string): boolean {
    return this.#busy.size < LONG_LISTS.atOnce && !this.#busy.has(person)
  }

  #wait(person: string, response: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        person,
        go: () => {
          response.off('close', leave).off('timeout', giveUp)
          resolve()
        },
      }
      const end = (error: AppError) => {
        response.off('close', leave).off('timeout', giveUp)
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
        reject(error)
      }
      const leave = () => end(new AppError(408, 'caller_gone', 'The caller did not wait'))
      const giveUp = () => end(serverBusy())
      response.once('close', leave)
      response.setTimeout(LONG_LISTS.waitMs, giveUp)
      this.#waiting.push(waiting)
    })
  }

  #next(): void {
    for (const waiting of [...this.#waiting]) {
      if (!this.#isFree(waiting.person)) continue
      this.#busy.add(waiting.person)
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      waiting.go()
    }
  }
}
