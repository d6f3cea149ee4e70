import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countSettled, readCopies } from '#server/conversions/outcomes.ts'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'

describe.each(ENGINES)('what became of the server’s events, on %s', (engine) => {
  test('counts each in the hour in which it happened, settled or waiting', async () => {
    const { db, close } = await makeDatabase(engine)
    onTestFinished(close)
    const pixel_id = await insertPixel(db, { type: 'meta' })
    const times = ['08:59', '09:00', '09:59', '10:00'].map((time) => `2026-11-16T${time}:00.000Z`)
    // Every event twice in a batch, and two batches: each adds to what was counted before.
    for (let batch = 0; batch < 2; batch++)
      await countSettled(
        db,
        [...times, ...times].map((created_at) => ({ pixel_id, created_at, state: 'accepted', reason: '' })),
      )
    await db
      .insertInto('deliveries')
      .values(
        times.map((created_at) => ({
          id: randomUUID(),
          pixel_id,
          kind: 'meta' as const,
          event_id: randomUUID(),
          event: 'lead' as const,
          consent_id: randomUUID(),
          category: 'marketing' as const,
          payload: '{}',
          created_at,
          expires_at: '2026-11-20T00:00:00.000Z',
          next_attempt_at: created_at,
        })),
      )
      .execute()
    const [from, to] = ['2026-11-16T09:00:00.000Z', '2026-11-16T10:00:00.000Z']
    const copies = await readCopies(db, pixel_id, { step: 'hour', from, to })
    expect(new Map(copies.map(({ state, ...copy }) => [state, copy]))).toEqual(
      new Map([
        ['accepted', { at: from, count: 8 }],
        ['waiting', { at: from, count: 2 }],
      ]),
    )
    expect(copies).toHaveLength(2)
  })
})
