import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '#server/db/database.ts'
import { type SpawnedServer, spawnNode } from '../support/spawn-server.ts'
import { until } from './scenario.ts'

/** A process that writes rows through the real storage layer until it is killed. Resolves while it is writing. */
export async function startWriting(dataDir: string): Promise<SpawnedServer> {
  const writer = spawnNode(['tests/support/crash-writer.ts', dataDir], {})
  await until('the writer writes', () => {
    if (writer.child.exitCode !== null) throw new Error(`the writer ended:\n${writer.output()}`)
    return rowsOf(writer).length > 0
  })
  // The moment of the kill must not depend on the writer.
  await wait(Math.random() * 60)
  return writer
}

export async function kill(writer: SpawnedServer): Promise<void> {
  writer.child.kill('SIGKILL')
  await writer.ended
}

/** What it reported as stored. An incomplete last line does not count, nor does a warning of Node. */
export function rowsOf(writer: SpawnedServer): string[] {
  return writer
    .output()
    .split('\n')
    .slice(0, -1)
    .filter((line) => /^[\da-f-]{36}$/.test(line))
}

/** Opens the database like the next start, and throws unless it is intact and has every row. */
export async function assertKept(dataDir: string, acknowledged: ReadonlySet<string>): Promise<void> {
  const { db, close } = openDatabase({ dataDir, databaseUrl: null })
  try {
    const check = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db)
    if (check.rows[0]?.integrity_check !== 'ok') throw new Error('the database is damaged')
    const rows = await db.selectFrom('newsletter_subscriptions').select('id').execute()
    const stored = new Set(rows.map((row) => row.id))
    const lost = [...acknowledged].filter((id) => !stored.has(id))
    if (lost.length > 0) throw new Error(`${lost.length} of ${acknowledged.size} acknowledged rows are lost`)
  } finally {
    await close()
  }
}
