import type { JsonPath } from './json-path.ts'

/** A request's query as it was written: names are not yet looked up, values not yet read. */
export interface Query {
  /** null: every readable column. */
  select: SelectItem[] | null
  where: Condition[]
  order: OrderItem[]
  limit: number | null
  offset: number
  /** The columns that a write takes from its body. */
  columns: string[] | null
  onConflict: string[] | null
}

export type SelectItem =
  | { kind: 'all' }
  | { kind: 'column'; column: string; path: JsonPath | null; alias: string | null; cast: string | null }

export interface OrderItem {
  column: string
  path: JsonPath | null
  descending: boolean
  nulls: 'first' | 'last' | null
}

export type Condition =
  | { kind: 'group'; operator: 'and' | 'or'; negated: boolean; conditions: Condition[] }
  | { kind: 'comparison'; column: string; path: JsonPath | null; negated: boolean; test: Test }

export const COMPARISONS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'isdistinct'] as const
export type Comparison = (typeof COMPARISONS)[number]

/** With `(any)` or `(all)` behind them, these take several values. */
export const QUANTIFIED: readonly Comparison[] = ['eq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike']

/** Contains, is contained by, has something in common. */
export const CONTAINMENTS = ['cs', 'cd', 'ov'] as const
export type Containment = (typeof CONTAINMENTS)[number]

export const IS_VALUES = ['null', 'not_null', 'true', 'false', 'unknown'] as const
export type IsValue = (typeof IS_VALUES)[number]

export type Test =
  | { operator: Comparison; value: string }
  | { operator: 'quantified'; comparison: Comparison; quantifier: 'any' | 'all'; values: string[] }
  | { operator: Containment; value: string }
  | { operator: 'is'; value: IsValue }
  | { operator: 'in'; values: string[] }
