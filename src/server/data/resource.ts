import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { ColumnFacts } from '#contract/pixel-columns.ts'
import type { Db } from '../db/database.ts'
import type { Caller } from '../http/security/administrators.ts'

export type ColumnType = ColumnFacts['type']
export type Row = Record<string, unknown>

interface Check {
  /** The constraint that the error names. */
  constraint: string
  /** What would pass, in words. */
  expected: string
  passes: (value: unknown, row: Row) => boolean
}

/** What only the server can say of a column. */
export interface ColumnRules {
  /** Worked out by the review of the write, from the other columns: no part of the trail. */
  reviewed?: true
  /** The value of a new row that does not bring its own; a column without one is required. */
  initial?: (row: Row) => unknown
  /** Brings a value of the right type to its one stored form. */
  normalize?: (value: unknown, row: Row) => unknown
  check?: Check
}

export interface Column extends Omit<ColumnFacts, 'about' | 'label' | 'restored' | 'holds'>, ColumnRules {
  name: string
  about?: string
}

/** The columns of a resource: what everybody knows of them, and the server's rules. */
export function defineColumns<T extends Record<string, ColumnFacts>>(
  facts: T,
  rules: { readonly [K in keyof T]?: ColumnRules },
): readonly Column[] {
  return Object.entries(facts).map(([name, column]) => ({ name, ...column, ...rules[name] }))
}

/** The only values of a column, where it has a fixed set. */
export function valuesOf({ type, words }: Column): readonly string[] | null {
  return type === 'text' && words !== undefined ? Object.keys(words) : null
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
  return resource.columns.filter((column) => column.read !== false)
}

export function findReadable(resource: Resource, name: string): Column | undefined {
  return resource.columns.find((column) => column.name === name && column.read !== false)
}

/** Every resource is addressed by one column. */
export const PRIMARY_KEY = 'id'

/** The rows in the order of their keys; a row that has gone meanwhile is left out. */
export function inOrder(keys: readonly string[], rows: readonly Row[]): Row[] {
  const byKey = new Map<unknown, Row>(rows.map((row) => [row[PRIMARY_KEY], row]))
  return keys.map((key) => byKey.get(key)).filter((row) => row !== undefined)
}
