import { expect, test } from 'vitest'
import { assertKept, kill, rowsOf, startWriting } from '../chaos/acknowledged-rows.ts'
import { makeStorage } from '../support/engines.ts'

/** Each starts a process; `npm run chaos` kills far more often. */
const ROUNDS = 5

test(`killed ${ROUNDS} times while writing: loses no acknowledged row, and the database always opens`, async () => {
  const storage = await makeStorage('sqlite', { isMigrated: true })
  const acknowledged = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const writer = await startWriting(storage.dataDir)
    await kill(writer)
    for (const id of rowsOf(writer)) acknowledged.add(id)
    await assertKept(storage.dataDir, acknowledged)
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS)
  console.info(`crash test: ${ROUNDS} kills, ${acknowledged.size} rows acknowledged, 0 lost`)
  await storage.remove()
})
