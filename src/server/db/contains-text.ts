import { type Expression, type SqlBool, sql } from 'kysely'
import { engineOf } from './column-types.ts'
import type { Db } from './database.ts'

/** Whether a text holds another one, as it is: no letter of it means anything else, as it would in a pattern. */
export function containsText(db: Db, text: Expression<string | null>, part: string): Expression<SqlBool> {
  return engineOf(db) === 'sqlite'
    ? sql<SqlBool>`instr(lower(${text}), ${part.toLowerCase()}) > 0`
    : sql<SqlBool>`strpos(lower(${text}), ${part.toLowerCase()}) > 0`
}
