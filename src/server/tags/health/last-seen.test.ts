import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#server/db/database.ts'
import { shardOf } from '#server/stats/counts.ts'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { LastSeen, readLastSeen } from './last-seen.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const at = (ms: number) => new Date(NOW + ms).toISOString()

describe.each(TIER_ENGINES)('when a tag was last seen, on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  test('is its newest run and newest error across processes', async () => {
    const { db } = database
    const pixel = await insertPixel(db, { type: 'meta' })
    const gone = randomUUID()
    const warnings: unknown[] = []
    const seen = new LastSeen(db, { warn: (...line: unknown[]) => void warnings.push(line) } as never)
    seen.add(pixel, { ran: true, error: null }, NOW)
    seen.add(pixel, { ran: false, error: 'Boom' }, NOW + 1)
    seen.add(gone, { ran: true, error: null }, NOW)
    await seen.flush()
    expect([...(await readLastSeen(db))]).toEqual([
      [pixel, { last_ran_at: at(0), last_error_at: at(1), last_error: 'Boom' }],
    ])
    // A later observation of another process is returned, an earlier one is not.
    await db
      .insertInto('tag_last_seen')
      .values({
        pixel_id: pixel,
        shard: shardOf(db) + 1,
        last_ran_at: at(5),
        last_error_at: at(-5),
        last_error: 'Antigo',
      })
      .execute()
    seen.add(pixel, { ran: true, error: null }, NOW + 3)
    await seen.stop()
    expect((await readLastSeen(db)).get(pixel)).toEqual({
      last_ran_at: at(5),
      last_error_at: at(1),
      last_error: 'Boom',
    })
    expect(warnings).toEqual([])
  })
})
