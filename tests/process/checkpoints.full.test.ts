import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { addToCheckpoint } from '#server/consent/checkpoints.ts'
import { openDatabase } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { kill, rowsOf } from '../chaos/acknowledged-rows.ts'
import { until } from '../chaos/scenario.ts'
import { ENGINES, makeStorage } from '../support/engines.ts'
import { proveInCheckpointOnce } from '../support/prove-in-checkpoint-once.ts'
import { spawnNode } from '../support/spawn-server.ts'

const ROUNDS = 3

test.each(ENGINES)(
  `on %s two processes make checkpoints and are killed ${ROUNDS} times: one chain, nothing twice or missing`,
  async (engine) => {
    const storage = await makeStorage(engine)
    const { db, close } = openDatabase(storage)
    await migrate(db)
    const acknowledged = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) {
      const writers = [1, 2].map(() =>
        spawnNode(['tests/support/checkpoint-writer.ts', storage.dataDir, storage.databaseUrl ?? ''], {}),
      )
      await until('both store and seal', () => writers.every((writer) => rowsOf(writer).length >= 60))
      // The moment of the kill must not depend on the writers.
      await wait(Math.random() * 60)
      for (const writer of writers) await kill(writer)
      for (const id of writers.flatMap(rowsOf)) acknowledged.add(id)
    }
    // A year ahead of the writers' clock.
    await addToCheckpoint(db, { now: Date.now() + 365 * 86_400_000 })
    expect(await proveInCheckpointOnce(db, acknowledged)).toBeGreaterThanOrEqual(acknowledged.size)
    expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * 120)
    await close()
    await storage.remove()
  },
  120_000,
)
