import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable, engineOf } from '../dialect.ts'

/** Conversions sent by the server: settings of each pixel, its secret, the queue, and the results. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  const pixels = () => db.schema.alterTable('tracking_pixels')
  await pixels()
    .addColumn('delivery', t.text, (c) =>
      c.notNull().defaultTo('browser').check(sql`delivery in ('browser', 'server', 'both')`),
    )
    .execute()
  const no = engineOf(db) === 'sqlite' ? 0 : false
  await pixels()
    .addColumn('has_access_token', t.boolean, (c) => c.notNull().defaultTo(no))
    .execute()
  await pixels().addColumn('access_token_stored_at', t.timestamp).execute()
  await pixels().addColumn('webhook_url', t.text).execute()
  await pixels()
    .addColumn('send_hashed_email', t.boolean, (c) => c.notNull().defaultTo(no))
    .execute()

  await createTable(db, 'pixel_secrets')
    .addColumn('pixel_id', t.uuid, (c) =>
      c.primaryKey().notNull().references('tracking_pixels.id').onDelete('cascade'),
    )
    .addColumn('value', t.text, (c) => c.notNull())
    .execute()

  await createTable(db, 'deliveries')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('kind', t.text, (c) => c.notNull())
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('event_id', t.uuid, (c) => c.notNull())
    .addColumn('event', t.text, (c) => c.notNull())
    .addColumn('consent_id', t.uuid, (c) => c.notNull())
    .addColumn('category', t.text, (c) => c.notNull())
    .addColumn('payload', t.text, (c) => c.notNull())
    .addColumn('attempts', t.integer, (c) => c.notNull().defaultTo(0))
    .addColumn('next_attempt_at', t.timestamp, (c) => c.notNull())
    .addColumn('leased_until', t.timestamp)
    .addColumn('sent_at', t.timestamp)
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('expires_at', t.timestamp, (c) => c.notNull())
    .addUniqueConstraint('deliveries_pixel_id_event_id_key', ['pixel_id', 'event_id'])
    .execute()
  await db.schema
    .createIndex('deliveries_due_idx')
    .on('deliveries')
    .columns(['pixel_id', 'next_attempt_at'])
    .execute()
  await db.schema.createIndex('deliveries_consent_id_idx').on('deliveries').column('consent_id').execute()

  await createTable(db, 'delivery_counts')
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('hour', t.timestamp, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('reason', t.text, (c) => c.notNull())
    .addColumn('count', t.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('delivery_counts_pkey', ['pixel_id', 'hour', 'state', 'reason'])
    .execute()
  await db.schema.createIndex('delivery_counts_hour_idx').on('delivery_counts').column('hour').execute()

  await createTable(db, 'delivery_log')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('event', t.text, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('attempts', t.integer, (c) => c.notNull())
    .addColumn('answer', t.text, (c) => c.notNull())
    .addColumn('message', t.text, (c) => c.notNull())
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('delivery_log_pixel_id_idx')
    .on('delivery_log')
    .columns(['pixel_id', 'created_at'])
    .execute()

  await createTable(db, 'delivery_stops')
    .addColumn('pixel_id', t.uuid, (c) =>
      c.primaryKey().notNull().references('tracking_pixels.id').onDelete('cascade'),
    )
    .addColumn('code', t.text, (c) => c.notNull())
    .addColumn('message', t.text, (c) => c.notNull())
    .addColumn('stopped_at', t.timestamp, (c) => c.notNull())
    .execute()
}
