import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** Who gets the summary of the week, and which weeks were sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'summary_choices')
    .addColumn('user_id', t.uuid, (c) =>
      c.primaryKey().notNull().references('auth_users.id').onDelete('cascade'),
    )
    .addColumn('chosen_at', t.timestamp)
    .addColumn('link_key', t.text, (c) => c.notNull())
    .execute()
  await createTable(db, 'summary_weeks')
    .addColumn('monday', t.text, (c) => c.primaryKey().notNull())
    .addColumn('sent_at', t.timestamp, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('summary_weeks_sent_at_idx').on('summary_weeks').column('sent_at').execute()
}
