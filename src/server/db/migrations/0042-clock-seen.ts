import { type Kysely, sql } from 'kysely'
import { columnTypes } from '../dialect.ts'

const NEWEST = [
  ['audit_events', 'created_at'],
  ['consent_records', 'created_at'],
  ['site_counts', 'slot'],
  ['readiness', 'proved_at'],
] as const

/** When a sweep last accepted the clock. It starts with the newest row, or with the clock if there is none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('site_state').addColumn('clock_seen_at', columnTypes(db).timestamp).execute()
  const times: number[] = []
  for (const [table, column] of NEWEST) {
    const { rows } = await sql<{
      newest: string | null
    }>`select max(${sql.ref(column)}) as newest from ${sql.table(table)}`.execute(db)
    // A database that was never checked for readiness has 1970.
    times.push(Date.parse(rows[0]?.newest ?? ''))
  }
  const newest = Math.max(0, ...times.filter((time) => !Number.isNaN(time)))
  await sql`update site_state set clock_seen_at = ${new Date(newest === 0 ? Date.now() : newest).toISOString()}`.execute(
    db,
  )
}
