import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable, engineOf } from '../dialect.ts'

/** Columns that only events have. */
const OF_EVENTS = ['pixel_id', 'event_id', 'event', 'consent_id', 'category', 'expires_at'] as const

/**
 * `deliveries` also takes jobs without a pixel: newsletter subscriptions and emails. Waiting subscriptions get a row
 * with their due time; one claimed by an older process is due when the claim ends.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) === 'sqlite') await rebuild(db)
  else await widen(db)
  await sql`create index deliveries_due_by_kind_idx on deliveries (kind, next_attempt_at) where pixel_id is null`.execute(
    db,
  )
  await sql`create index deliveries_leased_idx on deliveries (leased_until) where leased_until is not null`.execute(
    db,
  )
  await db.schema
    .createIndex('deliveries_subscription_id_idx')
    .unique()
    .on('deliveries')
    .column('subscription_id')
    .where('subscription_id' as never, 'is not', null)
    .execute()
  await sql`
    insert into deliveries (id, kind, subscription_id, payload, attempts, next_attempt_at, created_at)
    select id, 'newsletter', id, '{}', attempts,
      case when leased_until > next_attempt_at then leased_until else next_attempt_at end, created_at
    from newsletter_subscriptions where status = 'pending'
  `.execute(db)
}

async function widen(db: Kysely<unknown>): Promise<void> {
  for (const column of OF_EVENTS)
    await db.schema
      .alterTable('deliveries')
      .alterColumn(column, (c) => c.dropNotNull())
      .execute()
  await db.schema
    .alterTable('deliveries')
    .addColumn('subscription_id', columnTypes(db).uuid, (c) =>
      c.references('newsletter_subscriptions.id').onDelete('cascade'),
    )
    .execute()
  await db.schema.alterTable('deliveries').addColumn('sealed', 'text').execute()
}

/** SQLite cannot remove a `not null`: the table is rebuilt with its rows. Nothing refers to it. */
async function rebuild(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await db.schema.alterTable('deliveries').renameTo('deliveries_before').execute()
  for (const index of ['deliveries_due_idx', 'deliveries_consent_id_idx', 'deliveries_expires_at_idx'])
    await db.schema.dropIndex(index).execute()
  await createTable(db, 'deliveries')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('kind', t.text, (c) => c.notNull())
    .addColumn('pixel_id', t.uuid, (c) => c.references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('event_id', t.uuid)
    .addColumn('event', t.text)
    .addColumn('consent_id', t.uuid)
    .addColumn('category', t.text)
    .addColumn('payload', t.text, (c) => c.notNull())
    .addColumn('attempts', t.integer, (c) => c.notNull().defaultTo(0))
    .addColumn('next_attempt_at', t.timestamp, (c) => c.notNull())
    .addColumn('leased_until', t.timestamp)
    .addColumn('sent_at', t.timestamp)
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('expires_at', t.timestamp)
    .addColumn('subscription_id', t.uuid, (c) =>
      c.references('newsletter_subscriptions.id').onDelete('cascade'),
    )
    .addColumn('sealed', t.text)
    .addUniqueConstraint('deliveries_pixel_id_event_id_key', ['pixel_id', 'event_id'])
    .execute()
  const columns = sql.raw(
    'id, kind, pixel_id, event_id, event, consent_id, category, payload, attempts, next_attempt_at, leased_until, sent_at, created_at, expires_at',
  )
  await sql`insert into deliveries (${columns}) select ${columns} from deliveries_before`.execute(db)
  await db.schema.dropTable('deliveries_before').execute()
  await db.schema
    .createIndex('deliveries_due_idx')
    .on('deliveries')
    .columns(['pixel_id', 'next_attempt_at'])
    .execute()
  for (const column of ['consent_id', 'expires_at'])
    await db.schema.createIndex(`deliveries_${column}_idx`).on('deliveries').column(column).execute()
}
