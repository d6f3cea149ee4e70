import { protocolError } from '../errors.ts'

/** A parsed query: names are not looked up and values not converted yet. */
export interface Query {
  /** Null: every readable column. */
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

/** Operators that accept several values with `(any)` or `(all)`. */
export const QUANTIFIED: readonly Comparison[] = ['eq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike']

/** Contains, is contained by, overlaps. */
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

/** A path after a column: `->key`, `->0`, `->>key`. */
export interface JsonPath {
  /** A number is an array index, negative from the end. */
  keys: readonly (string | number)[]
  /** `->>` at the end: the value as text. */
  asText: boolean
}

export interface ColumnPath {
  column: string
  path: JsonPath | null
}

/** Splits `column->a->>b`; most names have one part. */
export function splitPath(name: string): ColumnPath {
  if (!name.includes('->')) return { column: name, path: null }
  const [column = '', ...steps] = name.split(/(->>?)/).map((part) => part.trim())
  const arrows = steps.filter((_step, at) => at % 2 === 0)
  const keys = steps.filter((_step, at) => at % 2 === 1)
  if (column === '' || keys.includes('') || arrows.slice(0, -1).includes('->>')) {
    throw protocolError(400, 'PGRST100', `"failed to parse tree path (${name})" (line 1, column 1)`, {
      details: 'expecting column->key->>key, with ->> at the end alone',
    })
  }
  return {
    column,
    path: {
      keys: keys.map((key) => (/^-?\d{1,9}$/.test(key) ? Number(key) : key)),
      asText: arrows.at(-1) === '->>',
    },
  }
}
