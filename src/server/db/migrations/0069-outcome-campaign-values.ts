import type { Kysely } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/** Values of outcomes by the campaign of their visit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  await createTable(db, 'outcome_campaign_values')
    .addColumn('at', t.timestamp, (c) => c.notNull())
    .addColumn('channel', t.text, (c) => c.notNull())
    .addColumn('campaign', t.text, (c) => c.notNull())
    .addColumn('currency', t.text, (c) => c.notNull())
    .addColumn('shard', t.integer, (c) => c.notNull())
    .addColumn('amount', t.bigint, (c) => c.notNull())
    .addPrimaryKeyConstraint('outcome_campaign_values_pkey', [
      'at',
      'channel',
      'campaign',
      'currency',
      'shard',
    ])
    .execute()
}
