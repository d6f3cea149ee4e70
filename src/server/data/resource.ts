import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Caller } from '../http/caller.ts'

export type ColumnType = 'uuid' | 'text' | 'boolean' | 'timestamp' | 'json'
export type Row = Record<string, unknown>

/**
 * Who sets a column's value: `always` the client; `create` the client, and once only; `maintained` the server,
 * whatever the client sends, so that a row that was read can be sent back whole.
 */
type Writable = 'always' | 'create' | 'maintained'

interface Check {
  /** The constraint that the error names. */
  constraint: string
  /** What would pass, in words. */
  expected: string
  passes: (value: unknown, row: Row) => boolean
}

export interface Column {
  name: string
  type: ColumnType
  writable: Writable
  /** false: write-only, and for reads as unknown as a column that does not exist. */
  readable?: false
  nullable?: true
  /** What a column of JSON holds. */
  document?: 'array' | 'object'
  /** The value of a new row that does not bring its own; a column without one is required. */
  initial?: (row: Row) => unknown
  /** Brings a value of the right type to its one stored form. */
  normalize?: (value: unknown, row: Row) => unknown
  check?: Check
}

/** Tables and columns are named at run time here, always from a declaration. */
export type DynamicSchema = Record<string, Record<string, unknown>>
export type DynamicDb = Kysely<DynamicSchema>
export type Source = SelectQueryBuilder<DynamicSchema, string, Record<never, never>>

/** How the rows of a resource change. Each call is part of the transaction that it is given. */
export interface Store {
  /** Set when each change writes its own audit row. */
  keepsOwnAudit?: true
  /** Slow work on what the client sent (hashing), done before the transaction. May replace values in place. */
  prepare?(inputs: Row[], caller: Caller): Promise<void>
  /** Gives the row as it was stored. */
  insert(trx: Db, row: Row, caller: Caller): Promise<Row>
  /** Both are whole rows; a write-only column is in `after` when the client sent it. */
  update(trx: Db, before: Row, after: Row, caller: Caller): Promise<void>
  remove(trx: Db, before: Row, caller: Caller): Promise<void>
}

/** A row before and after a change; null where there is none. */
export interface RowChange {
  before: Row | null
  after: Row | null
}

/** What has to be worked out of the rows of one write before they may be stored. */
export interface ChangeReview {
  /**
   * Last part of the transaction. False when something must be worked out first: the transaction is then taken back, and
   * tried again once `workOut` has done so.
   */
  apply(trx: Db, changes: readonly RowChange[]): Promise<boolean>
  /** Slow work, outside of any transaction. */
  workOut(): Promise<void>
  /** The transaction that was applied last is committed. */
  committed(): Promise<void>
}

/** A table of the wire. A new one is a declaration: everything else follows from it. */
export interface Resource {
  name: string
  columns: readonly Column[]
  /** Name of the constraint behind each set of columns that no two rows share; the first is the primary key. */
  uniqueKeys: readonly { constraint: string; columns: readonly string[] }[]
  /** Bumped at each change, and always to a later time: a filter on it detects someone else's change. */
  versionColumn: string
  defaultOrder: readonly string[]
  /** The rows, as a query in which every readable column is named `<resource>.<column>`. */
  source(db: DynamicDb): Source
  store: Store
  /** One for each write. */
  review?: () => ChangeReview
  /** Awaited after a committed change and before its answer. */
  afterChange?: () => Promise<void>
}

export function asDynamic(db: Db): DynamicDb {
  return db as unknown as DynamicDb
}

export function readableColumns(resource: Resource): Column[] {
  return resource.columns.filter((column) => column.readable !== false)
}

export function findReadable(resource: Resource, name: string): Column | undefined {
  return resource.columns.find((column) => column.name === name && column.readable !== false)
}

/** Every resource is addressed by one column. */
export const PRIMARY_KEY = 'id'

/** The rows in the order of their keys; a row that has gone meanwhile is left out. */
export function inOrder(keys: readonly string[], rows: readonly Row[]): Row[] {
  const byKey = new Map<unknown, Row>(rows.map((row) => [row[PRIMARY_KEY], row]))
  return keys.map((key) => byKey.get(key)).filter((row) => row !== undefined)
}
