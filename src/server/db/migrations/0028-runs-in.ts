import type { Kysely } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** Where the code of a custom pixel runs. Existing ones stay in the page. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await db.schema
    .alterTable('tracking_pixels')
    .addColumn('runs_in', t.text, (c) => c.notNull().defaultTo('page'))
    .execute()
}
