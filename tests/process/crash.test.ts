import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '#server/db/database.ts'
import { makeStorage } from '../support/engines.ts'
import { spawnNode } from '../support/spawn-server.ts'

const ROUNDS = 25

test(`${ROUNDS} times killed in the middle of writing, no acknowledged row is lost and the database always opens`, async () => {
  const storage = await makeStorage('sqlite')
  const acknowledged = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const writer = spawnNode(['tests/support/crash-writer.ts', storage.dataDir], {})
    await expect.poll(() => writer.output(), { timeout: 10_000, interval: 5 }).toContain('ready\n')
    await wait(Math.random() * 60)
    writer.child.kill('SIGKILL')
    expect(await writer.ended).toBe('SIGKILL')
    // The last line counts only when it is whole.
    for (const id of writer.output().split('\n').slice(1, -1)) acknowledged.add(id)

    const { db, close } = openDatabase(storage)
    const rows = await db.selectFrom('newsletter_subscriptions').select('id').execute()
    const stored = new Set(rows.map((row) => row.id))
    expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([])
    const check = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db)
    expect(check.rows[0]?.integrity_check).toBe('ok')
    await close()
  }
  expect(acknowledged.size).toBeGreaterThan(ROUNDS)
  console.info(`crash test: ${ROUNDS} kills, ${acknowledged.size} rows acknowledged, 0 lost`)
  await storage.remove()
}, 120_000)
