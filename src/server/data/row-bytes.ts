import { expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Engine } from '../db/column-types.ts'
import type { Column, DynamicSchema, Resource } from './resource.ts'

const eb = expressionBuilder<DynamicSchema, string>()
/** Keys, times, flags and the names of the columns. */
const FIXED_BYTES = 400

/** About how long a row is on the wire. Neither engine has to read a long text for it. */
export function rowBytes(engine: Engine, resource: Resource, columns: readonly Column[]): RawBuilder<number> {
  const parts = columns.flatMap(({ name, type }) => {
    const reference = eb.ref(`${resource.name}.${name}`)
    if (type === 'text') return [sql`coalesce(octet_length(${reference}), 0)`]
    if (type !== 'json') return []
    return [sql`coalesce(octet_length(${engine === 'postgres' ? sql`${reference}::text` : reference}), 0)`]
  })
  return sql<number>`${sql.join([sql.lit(FIXED_BYTES), ...parts], sql` + `)}`
}
