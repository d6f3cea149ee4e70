import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { OutputColumn } from './output-value.ts'
import type { DynamicDb, Source } from './resource.ts'
import type { RowShape } from './row-shape.ts'

/** SQLite gives a function no more arguments than 127: a name and a value for each column. */
const MAX_OUTPUTS = 60

export interface ListText {
  /** What the list is good for: until the database says another. */
  mark: string
  /** null: as it was under the mark that was sent along; empty: too long for one answer. */
  list: string | null
}

export interface ListTextPlan {
  shape: RowShape
  /** The rows in order, one more than a page at most, with the columns under their own names. */
  rows: Source
  /** The same rows, as one column `bytes`. */
  sizes: Source
  maxRows: number
  maxBytes: number
}

/**
 * A whole list as JSON text, made by SQLite in its own thread, together with the question whether anything has changed
 * since `mark` (`data_version` of the reading connection counts what any other one commits, of this process or of
 * another). One statement, so that both are of one snapshot; of an unchanged list nothing is read. The first parameter
 * is the mark. null where the selection cannot be written so.
 */
export function compileListText(db: DynamicDb, plan: ListTextPlan): CompiledQuery<ListText> | null {
  const outputs = new Map(plan.shape.outputs.map((output) => [output.name, output]))
  if (outputs.size > MAX_OUTPUTS || ![...outputs.values()].every(isWritable)) return null
  const members = [...outputs.values()].flatMap((output) => [sql`${output.name}`, toJson(output)])
  return sql<ListText>`
    select mark, case
      when mark = ${''} then null
      when (select count(*) > ${sql.lit(plan.maxRows)} or total(bytes) > ${sql.lit(plan.maxBytes)} from (${plan.sizes})) then ''
      else (select count(*) || json_group_array(json_object(${sql.join(members)})) from (${plan.rows}))
    end as list
    from (select connection_id() || '.' || data_version as mark from pragma_data_version)`.compile(
    db,
  ) as CompiledQuery<ListText>
}

/** The rest is worked out row by row. */
function isWritable({ path, cast }: OutputColumn): boolean {
  return path === null && (cast === null || cast === 'text')
}

/** The values of `output-value.ts`, in SQL. */
function toJson({ column, cast }: OutputColumn): RawBuilder<unknown> {
  const asText = cast === 'text'
  const value = sql.ref(column.name)
  switch (column.type) {
    case 'boolean': {
      const word = sql`case ${value} when 1 then 'true' when 0 then 'false' end`
      return asText ? word : sql`json(${word})`
    }
    case 'json':
      return asText ? value : sql`json(${value})`
    case 'timestamp': {
      const fraction = (from: number) =>
        sql`rtrim(rtrim(substr(${value}, ${sql.lit(from)}, length(${value}) - ${sql.lit(from)}), '0'), '.')`
      return asText
        ? sql`substr(${value}, 1, 10) || ' ' || ${fraction(12)} || '+00'`
        : sql`${fraction(1)} || '+00:00'`
    }
    default:
      return value
  }
}

/** `50[{…},…]`: the count goes before the text, because one scalar is all that a case can give. */
export function splitListText(list: string): { count: number; body: Buffer } {
  const at = list.indexOf('[')
  return { count: Number(list.slice(0, at)), body: Buffer.from(list.slice(at)) }
}
