import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** The id of the key that encrypts the secrets of this database; the key itself is never stored here. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'secret_key')
    .addColumn('id', t.integer, (c) => c.primaryKey().notNull().check(sql`id = 1`))
    .addColumn('key_id', t.text)
    .addColumn('leftovers_cleared_at', t.timestamp)
    .execute()
  await sql`insert into secret_key (id) values (1)`.execute(db)
}
