import type { FastifyReply } from 'fastify'
import { ChangedRows } from './changed-rows.ts'
import { type Call, type DataService, readQuery } from './data-service.ts'
import type { Query } from './grammar/query.ts'
import { assertMaxAffected, protocolError } from './protocol-errors.ts'
import { contentRange } from './range.ts'
import { readInputs } from './read-inputs.ts'
import type { Row } from './resource.ts'
import { shapeRows } from './row-shape.ts'
import { runChange } from './run-change.ts'
import { assertSingular, sendWritten } from './send-written.ts'
import type { RowWriter } from './write-rows.ts'

/** So many rows of a change are in memory at once. */
const LOADED_ROWS = 20

/** `PATCH` with filters. */
export async function updateRows(
  service: DataService,
  call: Call,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = readQuery(call)
  requireFilter(query, 'UPDATE')
  const shape = shapeRows(call.resource, query.select)
  const [change = {}, ...more] = readInputs(call.resource, call.request.body, {
    columns: query.columns,
    missingDefault: call.preferences.missingDefault,
  })
  if (more.length > 0) throw protocolError(400, 'PGRST102', 'An update takes one object')
  await call.resource.store.prepare?.([change], call.caller)
  const rows =
    Object.keys(change).length === 0
      ? []
      : await changeMatching(service, call, query, (writer, row) => writer.update(row, change))
  const total = call.preferences.count ? rows.length : null
  const written = {
    rows,
    contentRange: contentRange(0, rows.length, total),
    minimalStatus: 204,
    shownStatus: 200,
  }
  return sendWritten(call, query, shape, written, reply)
}

/** `DELETE` with filters. */
export async function deleteRows(
  service: DataService,
  call: Call,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = readQuery(call)
  requireFilter(query, 'DELETE')
  const shape = shapeRows(call.resource, query.select)
  const rows = await changeMatching(service, call, query, (writer, row) => writer.remove(row))
  const range = `*/${call.preferences.count ? rows.length : '*'}`
  const written = { rows, contentRange: range, minimalStatus: 204, shownStatus: 200 }
  return sendWritten(call, query, shape, written, reply)
}

/** Nobody means to change everything; who does says so with a filter that is always true. */
function requireFilter(query: Query, verb: 'UPDATE' | 'DELETE'): void {
  if (query.where.length === 0) throw protocolError(400, '21000', `${verb} requires a WHERE clause`)
}

async function changeMatching(
  service: DataService,
  call: Call,
  query: Query,
  change: (writer: RowWriter, row: Row) => Promise<Row>,
): Promise<Row[]> {
  const { maxAffected } = call.preferences
  const { rows } = await runChange(service, call, async (writer) => {
    const { keys, rows } = await writer.lock(query, LOADED_ROWS)
    assertMaxAffected(keys.length, maxAffected)
    assertSingular(call, keys.length)
    const changed = new ChangedRows(call.preferences)
    for (let at = 0; at < keys.length; at += LOADED_ROWS) {
      for (const row of rows ?? (await writer.load(keys.slice(at, at + LOADED_ROWS))))
        changed.add(await change(writer, row))
    }
    return changed
  })
  return rows
}
