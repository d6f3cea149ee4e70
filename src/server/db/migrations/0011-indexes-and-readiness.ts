import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../column-types.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)

  // What `/readyz` writes into: one row that nothing else locks.
  await createTable(db, 'readiness')
    .addColumn('id', t.integer, (c) => c.primaryKey().notNull().check(sql`id = 1`))
    .addColumn('proved_at', t.timestamp, (c) => c.notNull())
    .execute()
  await sql`insert into readiness (id, proved_at) values (1, '1970-01-01T00:00:00.000Z')`.execute(db)
}
