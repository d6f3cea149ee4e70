import { sql } from 'kysely'
import type { Db } from '#server/db/database.ts'
import { auditActor, type Caller } from '#server/http/caller.ts'
import { duplicateKey } from '../protocol-errors.ts'
import { asDynamic, type Column, PRIMARY_KEY, type Row, type Store } from '../resource.ts'
import { encode, tableStore } from '../table-store.ts'

/** The store of a table whose rows go to the trash before they go for good. Its reads must leave the trash out. */
export function trashStore(table: string, columns: readonly Column[]): Store {
  const store = tableStore(table, columns)
  return {
    ...store,
    /** An id that lies in the trash is free for whoever writes it again: the row comes back as it is written now. */
    async insert(trx: Db, row: Row) {
      const values = encode(columns, row)
      const { numInsertedOrUpdatedRows } = await asDynamic(trx)
        .insertInto(table)
        .values(values)
        .onConflict((conflict) =>
          conflict
            .column(PRIMARY_KEY)
            .doUpdateSet({ ...values, deleted_at: null, deleted_by: null, active_when_deleted: null })
            .where(`${table}.deleted_at`, 'is not', null),
        )
        .executeTakeFirstOrThrow()
      if (numInsertedOrUpdatedRows === 0n)
        throw duplicateKey(`${table}_pkey`, `Key (${PRIMARY_KEY})=(${row[PRIMARY_KEY]}) already exists.`)
      return row
    },
    async remove(trx: Db, before: Row, caller: Caller) {
      await asDynamic(trx)
        .updateTable(table)
        .set({
          deleted_at: new Date().toISOString(),
          deleted_by: auditActor(caller).actor,
          active_when_deleted: sql.ref('is_active'),
          is_active: false,
        })
        .where(PRIMARY_KEY, '=', before[PRIMARY_KEY])
        .execute()
    },
  }
}
