import type { FastifyReply } from 'fastify'
import type { Call } from './data-service.ts'
import { formatList, formatObject } from './format-rows.ts'
import type { Query } from './grammar/query.ts'
import { notSingular } from './protocol-errors.ts'
import { PRIMARY_KEY, type Row } from './resource.ts'
import type { RowShape } from './row-shape.ts'

interface Written {
  rows: Row[]
  /** Null where the protocol sends none. */
  contentRange: string | null
  /** The status of an answer without a body. */
  minimalStatus: number
  /** The status of an answer that shows the rows. */
  shownStatus: number
}

/** The answer to a write, in the form that the client prefers. */
export function sendWritten(
  call: Call,
  query: Query,
  shape: RowShape,
  written: Written,
  reply: FastifyReply,
): FastifyReply {
  const { preferences, media, resource } = call
  const [only] = written.rows
  if (written.contentRange !== null) reply.header('content-range', written.contentRange)
  if (preferences.return === 'headers-only' && written.rows.length === 1) {
    reply.header('location', `/rest/v1/${resource.name}?${PRIMARY_KEY}=eq.${String(only?.[PRIMARY_KEY])}`)
  }
  if (preferences.return !== 'representation') return reply.code(written.minimalStatus).send()
  reply.code(written.shownStatus).header('content-type', media.name)
  if (media.format === 'object' && only !== undefined) return reply.send(formatObject(shape, media, only))
  // A limit never limits what a write touches, only what it shows.
  const end = query.limit === null ? undefined : query.offset + query.limit
  return reply.send(formatList(shape, media, written.rows.slice(query.offset, end), false))
}

/** Called inside the transaction, so that a refused answer is a change that did not happen. */
export function assertSingular(call: Call, count: number): void {
  if (call.media.format === 'object' && count !== 1) throw notSingular(count)
}
