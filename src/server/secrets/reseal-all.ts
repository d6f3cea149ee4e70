import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { SecretPlace } from '../db/secret-port.ts'
import { sealWith } from './seal.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'
import type { SecretKey } from './secret-key.ts'

export interface Resealed {
  sealed: number
  /** What `read` could not read: left as it was, for the caller to remove. */
  unreadable: SecretPlace[]
}

/** Seals everything secret with one key. `read` gives the text behind what is stored, or null when nothing can. */
export async function resealAll(
  trx: Db,
  key: SecretKey,
  read: (place: SecretPlace, stored: string) => Promise<string | null>,
): Promise<Resealed> {
  const result: Resealed = { sealed: 0, unreadable: [] }
  for (const { table, column, key: name } of SEALED_COLUMNS) {
    const [from, value, id] = [sql.table(table), sql.ref(column), sql.ref(name)]
    const { rows } = await sql<{ row: string; stored: string }>`
      select ${id} as row, ${value} as stored from ${from} where ${value} is not null
    `.execute(trx)
    for (const { row, stored } of rows) {
      const place = { table, column, row }
      const text = await read(place, stored)
      if (text === null) {
        result.unreadable.push(place)
        continue
      }
      const sealed = await sealWith(key, place, text)
      await sql`update ${from} set ${value} = ${sealed} where ${id} = ${row}`.execute(trx)
      result.sealed++
    }
  }
  return result
}
