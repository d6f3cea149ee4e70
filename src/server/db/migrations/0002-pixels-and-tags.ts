import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)

  await createTable(db, 'tracking_pixels')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('name', t.text, (c) => c.notNull())
    .addColumn('type', t.text, (c) => c.notNull())
    .addColumn('pixel_id', t.text)
    .addColumn('code', t.text, (c) => c.notNull())
    .addColumn('is_active', t.boolean, (c) => c.notNull())
    .addColumn('allowed_hosts', t.json, (c) => c.notNull())
    .addColumn('consent_category', t.text, (c) => c.notNull())
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .addColumn('updated_at', t.timestamp, (c) => c.notNull())
    .addCheckConstraint('tracking_pixels_name_check', sql`length(trim(name)) between 1 and 200`)
    .addCheckConstraint(
      'tracking_pixels_type_check',
      sql`type in ('meta', 'google_analytics', 'google_tag_manager', 'custom')`,
    )
    .addCheckConstraint(
      'tracking_pixels_pixel_id_check',
      sql`(type = 'custom' and pixel_id is null) or (type <> 'custom' and pixel_id is not null and length(pixel_id) between 1 and 64)`,
    )
    .addCheckConstraint('tracking_pixels_code_check', sql`length(code) <= 100000`)
    .addCheckConstraint(
      'tracking_pixels_consent_category_check',
      sql`consent_category in ('essenciais', 'desempenho', 'funcionalidade', 'marketing')`,
    )
    .execute()
  await db.schema
    .createIndex('tracking_pixels_created_at_idx')
    .on('tracking_pixels')
    .columns(['created_at desc', 'id'])
    .execute()

  await createTable(db, 'tag_reports')
    .addColumn('pixel_id', t.uuid, (c) => c.notNull().references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('hour', t.timestamp, (c) => c.notNull())
    .addColumn('ran', t.integer, (c) => c.notNull().defaultTo(0))
    .addColumn('blocked', t.integer, (c) => c.notNull().defaultTo(0))
    .addColumn('failed', t.integer, (c) => c.notNull().defaultTo(0))
    .addColumn('last_ran_at', t.timestamp)
    .addColumn('last_error', t.text)
    .addPrimaryKeyConstraint('tag_reports_pkey', ['pixel_id', 'hour'])
    .execute()

  await createTable(db, 'blocked_hosts')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('pixel_id', t.uuid, (c) => c.references('tracking_pixels.id').onDelete('cascade'))
    .addColumn('host', t.text, (c) => c.notNull().check(sql`length(host) between 1 and 253`))
    .addColumn('count', t.integer, (c) => c.notNull().defaultTo(1))
    .addColumn('first_seen_at', t.timestamp, (c) => c.notNull())
    .addColumn('last_seen_at', t.timestamp, (c) => c.notNull())
    .execute()
  // Two indexes, because neither engine treats two nulls as equal.
  await sql`create unique index blocked_hosts_pixel_id_host_key on blocked_hosts (pixel_id, host) where pixel_id is not null`.execute(
    db,
  )
  await sql`create unique index blocked_hosts_host_key on blocked_hosts (host) where pixel_id is null`.execute(
    db,
  )

  await createTable(db, 'consent_records')
    .addColumn('id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('consent_id', t.uuid, (c) => c.notNull())
    .addColumn('action', t.text, (c) => c.notNull())
    .addColumn('categories', t.json, (c) => c.notNull())
    .addColumn('text_version', t.integer, (c) => c.notNull())
    .addColumn('tag_set_version', t.text, (c) => c.notNull())
    .addColumn('created_at', t.timestamp, (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('consent_records_consent_id_idx')
    .on('consent_records')
    .column('consent_id')
    .execute()
}
