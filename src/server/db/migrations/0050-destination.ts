import { type Kysely, sql } from 'kysely'
import { columnTypes } from '../dialect.ts'

/**
 * Where the server sends a pixel's events. Rows that are sent today get the destination of their type; older processes
 * write rows without one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('tracking_pixels').addColumn('destination', columnTypes(db).text).execute()
  await sql`
    update tracking_pixels
    set destination = case type when 'custom' then 'webhook' else type end
    where delivery <> 'browser' and type in ('meta', 'google_analytics', 'custom')
  `.execute(db)
}
