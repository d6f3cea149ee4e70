import type { FastifyReply } from 'fastify'
import type { DataService } from './data-service.ts'
import { assertMaxAffected, badJson, notSingular, protocolError } from './errors.ts'
import type { Query } from './grammar/query.ts'
import { type Call, contentRange, type Preferences, readQuery } from './request.ts'
import { PRIMARY_KEY, type Resource, type Row } from './resource.ts'
import { formatList, formatObject, type RowShape, shapeRows } from './row-format.ts'
import { type LockedRows, type RowWriter, runChange } from './row-writer.ts'
import { parseText, readInputs } from './values.ts'

/** Rows of a change that are in memory at once. */
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
  return sendChangedRows(call, query, shape, written, reply)
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
  return sendChangedRows(call, query, shape, written, reply)
}

/** Changing everything must be explicit, with a filter that is always true. */
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
  const { rows } = await runChange(
    service,
    call,
    async (writer, { keys, rows }: LockedRows) => {
      assertMaxAffected(keys.length, maxAffected)
      assertSingular(call, keys.length)
      const changed = new ChangedRows(call.preferences)
      for (let at = 0; at < keys.length; at += LOADED_ROWS) {
        for (const row of rows ?? (await writer.load(keys.slice(at, at + LOADED_ROWS))))
          changed.add(await change(writer, row))
      }
      return changed
    },
    (reader) => reader.lock(query, LOADED_ROWS),
  )
  return rows
}

/** Size limit of the response to one change. */
const MAX_SHOWN_BYTES = 8_000_000

/** The rows changed by one call: whole if the response shows them, else only their keys. */
class ChangedRows {
  readonly rows: Row[] = []
  readonly #shown: boolean
  #bytes = 0

  constructor(preferences: Preferences) {
    this.#shown = preferences.return === 'representation'
  }

  /** Called inside the transaction, so that a response that is too large rolls the change back. */
  add(row: Row): void {
    this.rows.push(this.#shown ? row : { [PRIMARY_KEY]: row[PRIMARY_KEY] })
    if (!this.#shown) return
    for (const value of Object.values(row)) if (typeof value === 'string') this.#bytes += value.length
    if (this.#bytes <= MAX_SHOWN_BYTES) return
    throw protocolError(413, '54000', 'The changed rows are too many to be shown in one answer', {
      hint: 'Prefer return=minimal, or change fewer rows at once.',
    })
  }
}

/** `POST`: insert, or upsert if a resolution of duplicates is preferred. All rows or none. */
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
  return sendChangedRows(
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

/** `PUT` with the primary key as its only filter: inserts or changes that row. */
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
  return sendChangedRows(call, query, shape, written, reply)
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
  // Ignored rows left a gap.
  return { rows: rows.filter((row) => row !== undefined), inserted }
}

/** Rows are written in key order, to avoid deadlocks. Rows without a key collide with nothing. */
function inLockOrder(inputs: readonly Row[], conflictColumns: readonly string[]): [number, Row][] {
  const keyOf = (row: Row) => JSON.stringify(conflictColumns.map((column) => row[column] ?? null))
  return [...inputs.entries()].sort(([, a], [, b]) => {
    const [first, second] = [keyOf(a), keyOf(b)]
    return first < second ? -1 : Number(first > second)
  })
}

/** The row that an input collides with, compared in stored form. */
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

interface Written {
  rows: Row[]
  /** Null if the protocol sends none. */
  contentRange: string | null
  /** Status of a response without a body. */
  minimalStatus: number
  /** Status of a response with rows. */
  shownStatus: number
}

/** Answers a write in the form that the client prefers. */
function sendChangedRows(
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
  // A limit applies to the response, not to the write.
  const end = query.limit === null ? undefined : query.offset + query.limit
  return reply.send(formatList(shape, media, written.rows.slice(query.offset, end), false))
}

/** Called inside the transaction, so that a refused response rolls the change back. */
function assertSingular(call: Call, count: number): void {
  if (call.media.format === 'object' && count !== 1) throw notSingular(count)
}
