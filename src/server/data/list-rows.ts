import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { type Call, type DataService, planFor, readQuery } from './data-service.ts'
import { formatList, formatObject, listFormat, type RowFormat } from './format-rows.ts'
import { notSingular } from './protocol-errors.ts'
import { contentRange, listStatus, narrowRange } from './range.ts'
import { PAGE_ROWS, planRead, type ReadPlan } from './read-plan.ts'
import { asDynamic, inOrder, PRIMARY_KEY } from './resource.ts'

/** `GET` and `HEAD`. */
export async function listRows(service: DataService, call: Call, reply: FastifyReply): Promise<FastifyReply> {
  const plan = rangedPlan(service, call)
  const { rows } = await service.db.executeQuery(plan.firstPage)
  const isLong = rows.length > PAGE_ROWS
  const keys = isLong ? (await service.db.executeQuery(plan.keys())).rows.map((row) => row.id) : []
  const count = isLong ? keys.length : rows.length
  const [only] = rows
  if (call.media.format === 'object' && (count !== 1 || only === undefined)) throw notSingular(count)

  const total = call.preferences.count ? await countRows(service, plan, count) : null
  reply
    .code(listStatus(plan.range.offset, count, total))
    .header('content-range', contentRange(plan.range.offset, count, total))
    .header('content-type', call.media.name)
  if (call.request.method === 'HEAD') return reply.send()
  if (isLong) {
    const hasKey = plan.shape.outputs.some((output) => output.name === PRIMARY_KEY)
    return reply.send(
      Readable.from(streamPages(service, plan, listFormat(plan.shape, call.media, hasKey), keys)),
    )
  }
  if (call.media.format === 'object' && only !== undefined) {
    return reply.send(formatObject(plan.shape, call.media, only))
  }
  return reply.send(formatList(plan.shape, call.media, rows, true))
}

/** A `Range` header is one client's, and its plan is not worth keeping. */
function rangedPlan(service: DataService, call: Call): ReadPlan {
  const header = call.request.method === 'GET' ? call.request.headers.range : undefined
  if (header === undefined) return planFor(service, call)
  const query = readQuery(call)
  const range = narrowRange({ offset: query.offset, limit: query.limit }, header)
  return planRead(call.resource, service.engine, asDynamic(service.db), query, range)
}

/** Rows may come between the list and its count; a total below what was listed would be nonsense. */
async function countRows(service: DataService, plan: ReadPlan, listed: number): Promise<number> {
  const { rows } = await service.db.executeQuery(plan.count())
  const floor = listed === 0 ? 0 : plan.range.offset + listed
  return Math.max(rows[0]?.count ?? 0, floor)
}

/**
 * A long list is fixed as a list of keys, read at one moment and in order; its rows follow page by page. So a write
 * between two pages can neither shift the list, nor double a row, nor hide one: a row changed meanwhile comes in its
 * newer form, a row deleted meanwhile is left out. A cursor would hold the embedded engine's one connection for as long
 * as the slowest client reads. Between pages the event loop gets its turn, because the embedded engine never yields.
 */
async function* streamPages(
  service: DataService,
  plan: ReadPlan,
  format: RowFormat,
  keys: readonly string[],
): AsyncGenerator<string> {
  let lead = format.open
  for (let at = 0; at < keys.length; at += PAGE_ROWS) {
    await setImmediate()
    const page = keys.slice(at, at + PAGE_ROWS)
    const { rows } = await service.db.executeQuery(plan.pageOf(page))
    if (rows.length === 0) continue
    yield lead + format.page(inOrder(page, rows))
    lead = format.separator
  }
  yield lead === format.open ? format.open + format.close : format.close
}
