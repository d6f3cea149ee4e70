import { type Kysely, sql } from 'kysely'
import { engineOf } from '../dialect.ts'

/** Everything that counts leaves of the consent tree. */
const COLUMNS = {
  consent_leaves: ['position'],
  consent_tree_nodes: ['position'],
  consent_tree: ['size'],
  consent_seals: ['leaf_count', 'tree_size'],
  // Last: visitors' choices wait for it.
  consent_records: ['leaf_position'],
}

/**
 * PostgreSQL's integer ends at 2,147,483,647 choices. It writes each table anew and locks it meanwhile, which older
 * processes wait for; they read and write the larger type as before. SQLite's integers have 64 bits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) === 'sqlite') return
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const changes = columns.map((column) => sql`alter column ${sql.ref(column)} type bigint`)
    await sql`alter table ${sql.table(table)} ${sql.join(changes)}`.execute(db)
  }
}
