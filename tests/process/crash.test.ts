import { expect, test } from 'vitest'
import { assertKept, kill, rowsOf, startWriting } from '../chaos/acknowledged-rows.ts'
import { makeStorage } from '../support/engines.ts'

const ROUNDS = 10

test(`${ROUNDS} times killed in the middle of writing, no acknowledged row is lost and the database always opens`, async () => {
  const storage = await makeStorage('sqlite')
  const acknowledged = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const writer = await startWriting(storage.dataDir)
    await kill(writer)
    for (const id of rowsOf(writer)) acknowledged.add(id)
    await assertKept(storage.dataDir, acknowledged)
  }
  expect(acknowledged.size).toBeGreaterThan(ROUNDS)
  console.info(`crash test: ${ROUNDS} kills, ${acknowledged.size} rows acknowledged, 0 lost`)
  await storage.remove()
}, 120_000)
