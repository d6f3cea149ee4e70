import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MINUTE_MS } from '#contract/durations.ts'
import { makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { queuedEvent } from '#tests/support/queued-event.ts'
import { readServerResults } from './delivery-results.ts'

const NOW = Date.UTC(2026, 10, 16, 9)
const at = (minutes: number) => new Date(NOW + minutes * MINUTE_MS).toISOString()

describe.each(TIER_ENGINES)('results of the server, on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  test.each([
    ['failed once, after a success', { accepted: -59, waiting: -1 }, [true, false]],
    ['fails for an hour', { accepted: -60, waiting: -1 }, [true, true]],
    ['failed so often that the log has no success', { waiting: -1 }, [true, true]],
    ['succeeded after a failure', { waiting: -2, accepted: -1 }, [false, false]],
    ['sends what is never confirmed', { unconfirmed: -30, waiting: -1 }, [true, false]],
  ])('a pixel %s', async (_name, log, expected) => {
    const { db } = database
    const pixel_id = await insertPixel(db, { type: 'meta' })
    await db.updateTable('tracking_pixels').set({ delivery: 'server' }).where('id', '=', pixel_id).execute()
    await db
      .insertInto('delivery_log')
      .values(
        Object.entries(log).map(([state, minutes]) => ({
          id: randomUUID(),
          pixel_id,
          event: 'lead' as const,
          state: state as 'waiting',
          attempts: 1,
          answer: '',
          message: '',
          created_at: at(minutes),
        })),
      )
      .execute()
    await db
      .insertInto('deliveries')
      .values(queuedEvent(pixel_id, at(-90), { next_attempt_at: at(5) }))
      .execute()
    const found = (await readServerResults(db, NOW)).get(pixel_id)
    expect([found?.isRetrying, found?.isFailing]).toEqual(expected)
  })
})
