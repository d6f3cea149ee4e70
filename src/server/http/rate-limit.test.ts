import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES, makeDatabase } from '../../../tests/support/engines.ts'
import type { Database } from '../db/database.ts'
import { countHit, forgetHits, readHits, sweepRateLimits } from './rate-limit.ts'

const NOON = Date.parse('2026-11-15T12:00:00Z')

describe.each(ENGINES)('rate limits on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  test('twenty hits at once are counted as twenty', async () => {
    const hits = await Promise.all(
      Array.from({ length: 20 }, () => countHit(database.db, 'parallel', 60_000, NOON)),
    )
    expect(hits.map((hit) => hit.count).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
  })

  test('a window starts with its first hit, ends, and a new one begins', async () => {
    await countHit(database.db, 'window', 60_000, NOON)
    expect(await countHit(database.db, 'window', 60_000, NOON + 45_000)).toEqual({
      count: 2,
      retryAfterSeconds: 15,
    })
    expect(await countHit(database.db, 'window', 60_000, NOON + 60_000)).toEqual({
      count: 1,
      retryAfterSeconds: 60,
    })
  })

  test('reading does not count, an ended window reads as empty, and forgetting forgets', async () => {
    await countHit(database.db, 'read', 60_000, NOON)
    expect(await readHits(database.db, 'read', NOON + 1000)).toEqual({ count: 1, retryAfterSeconds: 59 })
    expect(await readHits(database.db, 'read', NOON + 60_000)).toMatchObject({ count: 0 })
    await forgetHits(database.db, 'read')
    expect(await readHits(database.db, 'read', NOON)).toMatchObject({ count: 0 })
  })

  test('sweeping removes what has ended and nothing else', async () => {
    await countHit(database.db, 'old', 1000, NOON)
    await countHit(database.db, 'young', 90_000, NOON)
    await sweepRateLimits(database.db, NOON + 30_000)
    const keys = await database.db.selectFrom('rate_limits').select('key').execute()
    expect(keys.map((row) => row.key)).toContain('young')
    expect(keys.map((row) => row.key)).not.toContain('old')
  })
})
