import { describe, expect, onTestFinished, test } from 'vitest'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { queuedEvent } from '#tests/support/queued-event.ts'
import { STEP_ROWS } from '../db/sweep.ts'
import { findNextAttempt, makeDue } from './queue.ts'

const NOW = Date.UTC(2026, 10, 16, 9)
const at = (ms: number) => new Date(NOW + ms).toISOString()

describe.each(TIER_ENGINES)('retrying at once, on %s', (engine) => {
  test('makes all waiting jobs of a pixel due, in several steps, except those being sent', async () => {
    const { db, close } = await makeDatabase(engine)
    onTestFinished(close)
    const [ours, other] = [await insertPixel(db, { type: 'meta' }), await insertPixel(db, { type: 'meta' })]
    const row = (pixel: string, leased_until: string | null) =>
      queuedEvent(pixel, at(0), { next_attempt_at: at(3_600_000), leased_until })
    const waiting = Array.from({ length: STEP_ROWS + 1 }, () => row(ours, null))
    const apart = [row(ours, at(30_000)), row(other, null)]
    await db
      .insertInto('deliveries')
      .values([...waiting, ...apart])
      .execute()
    expect(await makeDue(db, { pixelId: ours }, NOW)).toBe(STEP_ROWS + 1)
    const later = await db
      .selectFrom('deliveries')
      .select('id')
      .where('next_attempt_at', '>', at(0))
      .execute()
    expect(new Set(later.map(({ id }) => id))).toEqual(new Set(apart.map(({ id }) => id)))
  })

  test('the next attempt is that of the first job, and not before the rest of the lane ends', async () => {
    const { db, close } = await makeDatabase(engine)
    onTestFinished(close)
    const pixelId = await insertPixel(db, { type: 'meta' })
    expect(await findNextAttempt(db, { pixelId })).toBeNull()
    await db
      .insertInto('deliveries')
      .values(
        [at(60_000), at(5_000)].map((next_attempt_at) => queuedEvent(pixelId, at(0), { next_attempt_at })),
      )
      .execute()
    expect(await findNextAttempt(db, { pixelId })).toBe(at(5_000))
    const until = (ms: number) => ({ lane: pixelId, failures: 1, until: at(ms) })
    await db.insertInto('lane_rests').values(until(1_000)).execute()
    expect(await findNextAttempt(db, { pixelId })).toBe(at(5_000))
    await db.updateTable('lane_rests').set(until(30_000)).execute()
    expect(await findNextAttempt(db, { pixelId })).toBe(at(30_000))
    expect(await findNextAttempt(db, { kind: 'newsletter' })).toBeNull()
  })
})
