import type { ColumnType } from 'kysely'

/** Read as a value, written as text made by `JSON.stringify`: the one form that both engines take. */
export type Json<T> = ColumnType<T, string, string>
/** ISO 8601 in UTC, with `T` and `Z`, on both engines. */
export type Timestamp = string
