import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { ColumnFacts } from '#contract/pixel-columns.ts'
import type { Db } from '../db/database.ts'
import type { Caller } from '../http/security/administrators.ts'

export type ColumnType = ColumnFacts['type']
export type Row = Record<string, unknown>

interface Check {
  /** The constraint named in the error. */
  constraint: string
  /** Describes valid values. */
  expected: string
  passes: (value: unknown, row: Row) => boolean
}

/** Rules of a column that only the server knows. */
export interface ColumnRules {
  /** Computed by the review from other columns; not part of the audit trail. */
  reviewed?: true
  /** The value in a new row if none is given; without it the column is required. */
  initial?: (row: Row) => unknown
  /** Converts a value to its stored form. */
  normalize?: (value: unknown, row: Row) => unknown
  check?: Check
}

export interface Column extends Omit<ColumnFacts, 'about' | 'label' | 'restored' | 'holds'>, ColumnRules {
  name: string
  about?: string
}

/** The columns of a resource: shared facts and the server's rules. */
export function defineColumns<T extends Record<string, ColumnFacts>>(
  facts: T,
  rules: { readonly [K in keyof T]?: ColumnRules },
): readonly Column[] {
  return Object.entries(facts).map(([name, column]) => ({ name, ...column, ...rules[name] }))
}

/** The allowed values of a column with a fixed set. */
export function valuesOf({ type, words }: Column): readonly string[] | null {
  return type === 'text' && words !== undefined ? Object.keys(words) : null
}

/** Tables and columns are named at run time, always from a declaration. */
export type DynamicSchema = Record<string, Record<string, unknown>>
export type DynamicDb = Kysely<DynamicSchema>
export type Source = SelectQueryBuilder<DynamicSchema, string, Record<never, never>>

/** How the rows of a resource change, inside the given transaction. */
export interface Store {
  /** Set if each change writes its own audit event. */
  keepsOwnAudit?: true
  /** Slow work (hashing) before the transaction. May replace values in place. */
  prepare?(inputs: Row[], caller: Caller): Promise<void>
  /** Returns the stored row. */
  insert(trx: Db, row: Row, caller: Caller): Promise<Row>
  /** Both are whole rows; a write-only column is in `after` if the client sent it. */
  update(trx: Db, before: Row, after: Row, caller: Caller): Promise<void>
  remove(trx: Db, before: Row, caller: Caller): Promise<void>
}

/** A row before and after a change; null if there is none. */
export interface RowChange {
  before: Row | null
  after: Row | null
}

/** What must be computed from the rows of a write before they may be stored. */
export interface ChangeReview {
  /**
   * The last step of the transaction. False if something must be computed first: the transaction is rolled back and
   * repeated after `workOut`.
   */
  apply(trx: Db, changes: readonly RowChange[]): Promise<boolean>
  /** Slow work, outside of any transaction. */
  workOut(): Promise<void>
}

/** A resource of the API. A new one is a declaration: everything else follows from it. */
export interface Resource {
  name: string
  columns: readonly Column[]
  /** Unique keys with the names of their constraints; the first is the primary key. */
  uniqueKeys: readonly { constraint: string; columns: readonly string[] }[]
  /** Raised with each change, always to a later time: a filter on it detects concurrent changes. */
  versionColumn: string
  defaultOrder: readonly string[]
  /** The rows, as a query with every readable column named `<resource>.<column>`. */
  source(db: DynamicDb): Source
  store: Store
  /** One per write. */
  review?: () => ChangeReview
  /** Awaited after the commit and before the response. */
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

/** The rows in the order of their keys; deleted ones are left out. */
export function inOrder(keys: readonly string[], rows: readonly Row[]): Row[] {
  const byKey = new Map<unknown, Row>(rows.map((row) => [row[PRIMARY_KEY], row]))
  return keys.map((key) => byKey.get(key)).filter((row) => row !== undefined)
}
