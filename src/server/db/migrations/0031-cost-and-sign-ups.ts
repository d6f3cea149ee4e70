import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/**
 * Costs of tags by minute beside failures; why a tag was paused; the vendor's test code; and the hash of a subscriber's
 * address for Meta, between the page's two requests and in the queue.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  for (const column of ['measured', 'slow'])
    await db.schema
      .alterTable('tag_minutes')
      .addColumn(column, t.integer, (c) => c.notNull().defaultTo(0))
      .execute()
  await db.schema
    .alterTable('tag_breakers')
    .addColumn('reason', t.text, (c) => c.notNull().defaultTo('failing'))
    .execute()
  await db.schema.alterTable('tag_tests').addColumn('test_code', t.text).execute()
  await createTable(db, 'sign_up_hashes')
    .addColumn('consent_id', t.uuid, (c) => c.primaryKey().notNull())
    .addColumn('email_hash', t.text, (c) => c.notNull())
    .addColumn('expires_at', t.timestamp, (c) => c.notNull())
    .execute()
  for (const column of ['email_hash', 'expires_at'])
    await db.schema.createIndex(`sign_up_hashes_${column}_idx`).on('sign_up_hashes').column(column).execute()
  await db.schema.alterTable('deliveries').addColumn('email_hash', t.text).execute()
  await db.schema.createIndex('deliveries_email_hash_idx').on('deliveries').column('email_hash').execute()
}
