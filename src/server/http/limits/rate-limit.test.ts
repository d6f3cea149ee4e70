import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#server/db/database.ts'
import { createLogger } from '#server/http/logging/logger.ts'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { sweepTable } from '#tests/support/sweep-table.ts'
import { countGuess, countHit, forgetHits, RateCounter, readHits } from './counter.ts'

const NOON = Date.parse('2026-11-15T12:00:00Z')

describe.each(ENGINES)('rate limits on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  test('counts twenty parallel hits as twenty', async () => {
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

  test('reading does not count, an ended window is empty, and forgetting clears it', async () => {
    await countHit(database.db, 'read', 60_000, NOON)
    expect(await readHits(database.db, 'read', 60_000, NOON + 1000)).toEqual({
      count: 1,
      retryAfterSeconds: 59,
    })
    expect(await readHits(database.db, 'read', 60_000, NOON + 60_000)).toMatchObject({ count: 0 })
    await forgetHits(database.db, 'read')
    expect(await readHits(database.db, 'read', 60_000, NOON)).toMatchObject({ count: 0 })
  })

  test('counts of a clock that was a day ahead lock nobody once it is right', async () => {
    const tomorrow = NOON + 24 * 3_600_000
    for (let hit = 0; hit < 5; hit++) await countHit(database.db, 'ahead', 60_000, tomorrow)
    expect(await readHits(database.db, 'ahead', 60_000, NOON)).toMatchObject({ count: 0 })
    expect(await countHit(database.db, 'ahead', 60_000, NOON)).toEqual({ count: 1, retryAfterSeconds: 60 })
    await countHit(database.db, 'swept', 60_000, tomorrow)
    await sweepTable(database.db, 'rate_limits', { now: NOON })
    const keys = await database.db.selectFrom('rate_limits').select('key').execute()
    expect(keys.map((row) => row.key)).not.toContain('swept')
  })

  test('a process whose clock is half a minute behind still sees the lock', async () => {
    await countHit(database.db, 'skew', 60_000, NOON)
    expect(await readHits(database.db, 'skew', 60_000, NOON - 30_000)).toMatchObject({ count: 1 })
  })

  test('deletes all ended windows, in several steps', async () => {
    const rows = Array.from({ length: 2_500 }, (_, n) => ({
      key: `step:${n}`,
      count: 1,
      expires_at: new Date(NOON).toISOString(),
    }))
    await database.db.insertInto('rate_limits').values(rows).execute()
    await sweepTable(database.db, 'rate_limits', { now: NOON })
    const left = await database.db
      .selectFrom('rate_limits')
      .select('key')
      .where('key', 'like', 'step:%')
      .execute()
    expect(left).toEqual([])
  })

  test('deletes only ended windows', async () => {
    await countHit(database.db, 'old', 1000, NOON)
    await countHit(database.db, 'young', 90_000, NOON)
    await sweepTable(database.db, 'rate_limits', { now: NOON + 30_000 })
    const keys = await database.db.selectFrom('rate_limits').select('key').execute()
    expect(keys.map((row) => row.key)).toContain('young')
    expect(keys.map((row) => row.key)).not.toContain('old')
  })

  test('keeps what must survive a crash apart from what may be lost', async () => {
    const counter = new RateCounter(database.db, createLogger('silent'))
    counter.take([{ key: 'rate', max: 1, windowMs: 60_000 }])
    await counter.stop()
    await countGuess(database.db, 'guess', { max: 1, windowMs: 60_000 })
    await countGuess(database.db, 'wait', { free: 1, waitsMs: [60_000] })
    const keys = async (table: 'rate_limits' | 'rate_windows') =>
      (await database.db.selectFrom(table).select('key').execute()).map(({ key }) => key)
    expect(await keys('rate_windows')).toEqual(['rate'])
    expect(await keys('rate_limits')).toEqual(expect.arrayContaining(['guess', 'wait']))
    expect(await keys('rate_limits')).not.toContain('rate')
    if (engine === 'sqlite') return
    const { rows } = await sql<{ relname: string; relpersistence: string }>`
      select relname, relpersistence from pg_class where relname in ('rate_limits', 'rate_windows') order by 1`.execute(
      database.db,
    )
    expect(rows.map(({ relpersistence }) => relpersistence)).toEqual(['p', 'u'])
  })
})
