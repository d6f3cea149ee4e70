import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)

  await createTable(db, 'site_state')
    .addColumn('id', t.integer, (c) => c.primaryKey().notNull().check(sql`id = 1`))
    .addColumn('tags_paused_at', t.timestamp)
    .addColumn('tags_paused_by', t.text)
    .addColumn('tags_version', t.integer, (c) => c.notNull().defaultTo(0))
    .execute()
  await sql`insert into site_state (id) values (1)`.execute(db)

  await createTable(db, 'rate_limits')
    .addColumn('key', t.text, (c) => c.primaryKey().notNull())
    .addColumn('count', t.integer, (c) => c.notNull())
    .addColumn('expires_at', t.timestamp, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('rate_limits_expires_at_idx').on('rate_limits').column('expires_at').execute()

  await createTable(db, 'audit_events')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('actor_id', t.uuid)
    .addColumn('actor', t.text, (c) => c.notNull())
    .addColumn('action', t.text, (c) => c.notNull())
    .addColumn('subject', t.text)
    .addColumn('before', t.json)
    .addColumn('after', t.json)
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .execute()
  await db.schema.createIndex('audit_events_created_at_idx').on('audit_events').column('created_at').execute()
}
