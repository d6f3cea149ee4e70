import type { FastifyReply } from 'fastify'
import { parseText } from './column-values.ts'
import { type Call, type DataService, readQuery } from './data-service.ts'
import type { Query } from './grammar/query.ts'
import { assertMaxAffected, badJson, protocolError } from './protocol-errors.ts'
import { readInputs } from './read-inputs.ts'
import { PRIMARY_KEY, type Resource, type Row } from './resource.ts'
import { shapeRows } from './row-shape.ts'
import { runChange } from './run-change.ts'
import { assertSingular, sendWritten } from './send-written.ts'
import type { RowWriter } from './write-rows.ts'

/** `POST`: insert, or upsert when a resolution of duplicates is preferred. All rows or none. */
export async function insertRows(
  service: DataService,
  call: Call,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { preferences } = call
  const query = readQuery(call)
  const shape = shapeRows(call.resource, query.select)
  const conflictColumns = resolveConflict(call.resource, query)
  const { rows, inserted } = await write(service, call, readRows(call, query), conflictColumns)
  const isMergeOnly = preferences.resolution === 'merge-duplicates' && rows.length > 0 && inserted === 0
  const status = isMergeOnly ? 200 : 201
  return sendWritten(
    call,
    query,
    shape,
    {
      rows,
      contentRange: `*/${preferences.count ? rows.length : '*'}`,
      minimalStatus: status,
      shownStatus: status,
    },
    reply,
  )
}

/** `PUT` with the primary key as its only filter: that one row, inserted or changed. */
export async function putRow(service: DataService, call: Call, reply: FastifyReply): Promise<FastifyReply> {
  const query = readQuery(call)
  const shape = shapeRows(call.resource, query.select)
  if (query.limit !== null || new URLSearchParams(call.search).has('offset'))
    throw protocolError(400, 'PGRST114', 'limit/offset querystring parameters are not allowed for PUT')
  const key = keyOf(call.resource, query)
  const inputs = readRows(call, query)
  if (inputs.length !== 1 || inputs[0]?.[PRIMARY_KEY] !== key)
    throw protocolError(400, 'PGRST115', 'Payload values do not match URL in primary key column(s)')
  const merging = { ...call, preferences: { ...call.preferences, resolution: 'merge-duplicates' as const } }
  const { rows, inserted } = await write(service, merging, inputs, [PRIMARY_KEY])
  const written = { rows, contentRange: null, minimalStatus: 204, shownStatus: inserted > 0 ? 201 : 200 }
  return sendWritten(call, query, shape, written, reply)
}

function keyOf(resource: Resource, { where }: Query): unknown {
  const [filter, ...more] = where
  const column = resource.columns.find(({ name }) => name === PRIMARY_KEY)
  const isKey =
    more.length === 0 &&
    filter?.kind === 'comparison' &&
    filter.column === PRIMARY_KEY &&
    filter.path === null
  if (column === undefined || !isKey || filter.negated || filter.test.operator !== 'eq') {
    const message = "Filters must include all and only primary key columns with 'eq' operators"
    throw protocolError(405, 'PGRST105', message)
  }
  return parseText(column.type, filter.test.value)
}

function readRows({ resource, request, preferences }: Call, { columns }: Query): Row[] {
  if (request.body === undefined) throw badJson()
  return readInputs(resource, request.body, { columns, missingDefault: preferences.missingDefault })
}

async function write(
  service: DataService,
  call: Call,
  inputs: Row[],
  conflictColumns: readonly string[],
): Promise<{ rows: Row[]; inserted: number }> {
  assertMaxAffected(inputs.length)
  await call.resource.store.prepare?.(inputs, call.caller)
  return runChange(service, call, async (writer) => {
    const written = await writeAll(call, writer, inputs, conflictColumns)
    assertSingular(call, written.rows.length)
    return written
  })
}

function resolveConflict(resource: Resource, query: Query): readonly string[] {
  const wanted = query.onConflict ?? [PRIMARY_KEY]
  const key = resource.uniqueKeys.find(
    ({ columns }) => columns.length === wanted.length && columns.every((column) => wanted.includes(column)),
  )
  if (key !== undefined) return key.columns
  throw protocolError(
    400,
    '42P10',
    'there is no unique or exclusion constraint matching the ON CONFLICT specification',
  )
}

async function writeAll(
  { preferences, resource }: Call,
  writer: RowWriter,
  inputs: readonly Row[],
  conflictColumns: readonly string[],
): Promise<{ rows: Row[]; inserted: number }> {
  const rows: Row[] = []
  const touched = new Set<unknown>()
  let inserted = 0
  for (const [index, input] of inLockOrder(inputs, conflictColumns)) {
    const existing =
      preferences.resolution === null ? null : await findConflict(resource, writer, input, conflictColumns)
    if (existing !== null && preferences.resolution === 'ignore-duplicates') continue
    if (existing !== null && touched.has(existing[PRIMARY_KEY])) {
      throw protocolError(400, '21000', 'ON CONFLICT DO UPDATE command cannot affect row a second time')
    }
    const row = existing === null ? await writer.insert(input) : await writer.update(existing, input)
    if (existing === null) inserted++
    touched.add(row[PRIMARY_KEY])
    rows[index] = row
  }
  // What was ignored has left a gap.
  return { rows: rows.filter((row) => row !== undefined), inserted }
}

/** Everyone writes in one order, the key's, so that no two wait for each other. Rows without a key collide with nobody. */
function inLockOrder(inputs: readonly Row[], conflictColumns: readonly string[]): [number, Row][] {
  const keyOf = (row: Row) => JSON.stringify(conflictColumns.map((column) => row[column] ?? null))
  return [...inputs.entries()].sort(([, a], [, b]) => {
    const [first, second] = [keyOf(a), keyOf(b)]
    return first < second ? -1 : Number(first > second)
  })
}

/** The row that an input would collide with: values are compared in the form in which they are stored. */
async function findConflict(
  resource: Resource,
  writer: RowWriter,
  input: Row,
  columns: readonly string[],
): Promise<Row | null> {
  const values: Row = {}
  for (const name of columns) {
    const column = resource.columns.find((candidate) => candidate.name === name)
    const value = column?.normalize === undefined ? input[name] : column.normalize(input[name], input)
    if (value === undefined || value === null) return null
    values[name] = value
  }
  return writer.find(values)
}
