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
  | { kind: 'column'; column: string; alias: string | null; cast: string | null }

export interface OrderItem {
  column: string
  descending: boolean
  nulls: 'first' | 'last' | null
}

export type Condition =
  | { kind: 'group'; operator: 'and' | 'or'; negated: boolean; conditions: Condition[] }
  | { kind: 'comparison'; column: string; negated: boolean; test: Test }

export const COMPARISONS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'isdistinct'] as const
export type Comparison = (typeof COMPARISONS)[number]

export const IS_VALUES = ['null', 'not_null', 'true', 'false', 'unknown'] as const
export type IsValue = (typeof IS_VALUES)[number]

export type Test =
  | { operator: Comparison; value: string }
  | { operator: 'is'; value: IsValue }
  | { operator: 'in'; values: string[] }
