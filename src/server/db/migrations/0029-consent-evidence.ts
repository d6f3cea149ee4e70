import { type Kysely, sql } from 'kysely'
import { columnTypes, createTable } from '../dialect.ts'

/**
 * Consent proof: the wordings (`consent_notices`), the recipients (`consent_parties`), a leaf per record in one Merkle
 * tree, and checkpoints over that tree. `consent_counts` is counted in the transaction that adds a record's leaf.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const t = columnTypes(db)
  for (const [column, type] of [
    ['schema_version', t.integer],
    ['notice_hash', t.text],
    ['parties_hash', t.text],
    ['retention_days', t.integer],
    ['leaf_position', t.integer],
  ] as const)
    await db.schema.alterTable('consent_records').addColumn(column, type).execute()
  await sql`create unique index consent_records_leaf_position_key on consent_records (leaf_position) where leaf_position is not null`.execute(
    db,
  )
  await sql`create index consent_records_unsealed_idx on consent_records (created_at, id) where leaf_position is null`.execute(
    db,
  )

  // The newest choices of one browser, without sorting all records with its id.
  await db.schema
    .createIndex('consent_records_consent_id_created_at_idx')
    .on('consent_records')
    .columns(['consent_id', 'created_at desc'])
    .execute()
  await db.schema.dropIndex('consent_records_consent_id_idx').execute()

  await createTable(db, 'consent_notices')
    .addColumn('hash', t.text, (c) => c.primaryKey().notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('language', t.text, (c) => c.notNull())
    .addColumn('text', t.text, (c) => c.notNull())
    .addColumn('html', t.text, (c) => c.notNull())
    .addColumn('first_served_at', t.timestamp, (c) => c.notNull())
    .execute()
  await createTable(db, 'consent_parties')
    .addColumn('hash', t.text, (c) => c.primaryKey().notNull())
    .addColumn('tag_set_version', t.text, (c) => c.notNull())
    .addColumn('content', t.text, (c) => c.notNull())
    .addColumn('first_served_at', t.timestamp, (c) => c.notNull())
    .execute()
  await createTable(db, 'consent_leaves')
    .addColumn('position', t.integer, (c) => c.primaryKey().notNull())
    .addColumn('hash', t.text, (c) => c.notNull())
    .addColumn('erased_at', t.timestamp)
    .execute()
  await createTable(db, 'consent_tree_nodes')
    .addColumn('level', t.integer, (c) => c.notNull())
    .addColumn('position', t.integer, (c) => c.notNull())
    .addColumn('hash', t.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('consent_tree_nodes_pkey', ['level', 'position'])
    .execute()
  // One row: appending and making checkpoints lock it first.
  await createTable(db, 'consent_tree')
    .addColumn('id', t.integer, (c) => c.primaryKey().notNull().check(sql`id = 1`))
    .addColumn('size', t.integer, (c) => c.notNull())
    .addColumn('first_record_at', t.timestamp)
    .addColumn('last_record_at', t.timestamp)
    .execute()
  await sql`insert into consent_tree (id, size) values (1, 0)`.execute(db)
  await createTable(db, 'consent_seals')
    .addColumn('sequence', t.integer, (c) => c.primaryKey().notNull())
    .addColumn('first_record_at', t.timestamp, (c) => c.notNull())
    .addColumn('last_record_at', t.timestamp, (c) => c.notNull())
    .addColumn('leaf_count', t.integer, (c) => c.notNull().check(sql`leaf_count > 0`))
    .addColumn('tree_size', t.integer, (c) => c.notNull().unique())
    .addColumn('root', t.text, (c) => c.notNull())
    .addColumn('previous_hash', t.text)
    .addColumn('hash', t.text, (c) => c.notNull())
    .addColumn('sealed_at', t.timestamp, (c) => c.notNull())
    .execute()
  await createTable(db, 'consent_counts')
    .addColumn('day', t.text, (c) => c.notNull())
    .addColumn('text_version', t.integer, (c) => c.notNull())
    .addColumn('action', t.text, (c) => c.notNull())
    .addColumn('choice', t.text, (c) => c.notNull())
    .addColumn('count', t.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('consent_counts_pkey', ['day', 'text_version', 'action', 'choice'])
    .execute()
  for (const [table, columns] of [
    ['consent_parties', ['tag_set_version', 'first_served_at']],
    ['consent_seals', ['sealed_at']],
  ] as const)
    await db.schema
      .createIndex(`${table}_${columns.join('_')}_idx`)
      .on(table)
      .columns([...columns])
      .execute()
}
