import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES, makeDatabase } from '../../../tests/support/engines.ts'
import type { Database } from '../db/database.ts'
import { FloodGuard } from './flood-guard.ts'

const LIMIT = { hits: 2, windowMs: 60_000 }
const START = Date.parse('2026-11-15T12:00:00Z')

describe.each(ENGINES)('the flood guard on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  async function exhaust(guard: FloodGuard, address: string): Promise<void> {
    for (let hit = 0; hit < LIMIT.hits; hit++) expect(await guard.check(address, START)).toBeNull()
    expect(await guard.check(address, START)).toBe(60)
  }

  test('lets the address in again when the window has passed', async () => {
    const guard = new FloodGuard(database.db, LIMIT)
    await exhaust(guard, '192.0.2.1')
    expect(await guard.check('192.0.2.1', START + 59_500)).toBe(1)
    expect(await guard.check('192.0.2.1', START + 60_000)).toBeNull()
  })

  test('writes nothing for an address that it knows to be over', async () => {
    const guard = new FloodGuard(database.db, LIMIT)
    await exhaust(guard, '192.0.2.2')
    for (let hit = 0; hit < 5; hit++) await guard.check('192.0.2.2', START + 1)
    const row = await database.db
      .selectFrom('rate_limits')
      .select('count')
      .where('key', '=', 'newsletter:192.0.2.2')
      .executeTakeFirstOrThrow()
    expect(row.count).toBe(LIMIT.hits + 1)
  })

  test('shares its counts with the other replicas', async () => {
    await exhaust(new FloodGuard(database.db, LIMIT), '192.0.2.3')
    expect(await new FloodGuard(database.db, LIMIT).check('192.0.2.3', START)).toBe(60)
  })
})
