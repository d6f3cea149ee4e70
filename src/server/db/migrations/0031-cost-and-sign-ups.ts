import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/**
 * What tags cost, counted by minute beside what failed; why a tag was paused; the vendor's code of a test; and the hash of an address that a
 * subscription's conversion carries to Meta: for the minutes between the two requests of the page, and in the queue.
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
