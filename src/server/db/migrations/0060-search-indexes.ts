import { type Kysely, sql } from 'kysely'
import { engineOf } from '../dialect.ts'

/**
 * Who switched a pixel on, without reading its other changes; and a search of subscriptions that reads one index instead
 * of every row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isSwitchedOn =
    engineOf(db) === 'sqlite'
      ? `json_extract("after", '$.is_active') = 1 and json_extract("before", '$.is_active') is not 1`
      : `("after" ->> 'is_active') = 'true' and ("before" ->> 'is_active') is distinct from 'true'`
  await sql`create index audit_events_switched_on_idx on audit_events (subject, created_at, id) where ${sql.raw(isSwitchedOn)}`.execute(
    db,
  )
  await db.schema
    .createIndex('newsletter_subscriptions_search_idx')
    .on('newsletter_subscriptions')
    .columns(['created_at', 'id', 'email'])
    .execute()
}
