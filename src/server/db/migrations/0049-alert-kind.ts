import type { Kysely } from 'kysely'
import { columnTypes } from '../dialect.ts'

/** What an alert mail is about, so that it can link to the page that shows it; null in rows from before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('alert_mails').addColumn('kind', columnTypes(db).text).execute()
}
