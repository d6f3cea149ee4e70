import { describe, expect, onTestFinished, test } from 'vitest'
import { countSettled, readCopies } from '#server/conversions/delivery-results.ts'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { queuedEvent } from '#tests/support/queued-event.ts'

describe.each(ENGINES)('results of events sent by the server, on %s', (engine) => {
  test('counts each event in its own hour, settled or waiting', async () => {
    const { db, close } = await makeDatabase(engine)
    onTestFinished(close)
    const pixel_id = await insertPixel(db, { type: 'meta' })
    const times = ['08:59', '09:00', '09:59', '10:00'].map((time) => `2026-11-16T${time}:00.000Z`)
    // Every event twice in a batch, and two batches: each adds to the earlier counts.
    for (let batch = 0; batch < 2; batch++)
      await countSettled(
        db,
        [...times, ...times].map((created_at) => ({
          pixel_id,
          event: 'lead' as const,
          created_at,
          state: 'accepted' as const,
          reason: '',
        })),
      )
    await db
      .insertInto('deliveries')
      .values(times.map((time) => queuedEvent(pixel_id, time)))
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
