import { describe, expect, onTestFinished, test } from 'vitest'
import { MINUTE_MS } from '#contract/durations.ts'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { queuedEvent } from '#tests/support/queued-event.ts'
import { listSending } from '../conversions/targets.ts'

const NOW = Date.UTC(2026, 10, 16, 9)
const at = (ms: number) => new Date(NOW + ms).toISOString()

describe.each(TIER_ENGINES)('pixels that send, on %s', (engine) => {
  test('lists pixels that are on, not paused, have a secret, and were not stopped or tried within the hour', async () => {
    const { db, close } = await makeDatabase(engine)
    onTestFinished(close)
    const add = async (name: string, { is_active = true, hasSecret = true, stoppedAt = 0, triedAt = 0 }) => {
      const pixel_id = await insertPixel(db, { type: 'meta', name, is_active })
      if (hasSecret) await db.insertInto('pixel_secrets').values({ pixel_id, value: 'x' }).execute()
      await db
        .insertInto('deliveries')
        .values(queuedEvent(pixel_id, at(0), { next_attempt_at: at(5_000) }))
        .execute()
      if (stoppedAt !== 0)
        await db
          .insertInto('delivery_stops')
          .values({
            pixel_id,
            code: 'token_refused',
            message: '',
            stopped_at: at(stoppedAt),
            tried_at: triedAt === 0 ? null : at(triedAt),
          })
          .execute()
    }
    await insertPixel(db, { type: 'meta', name: 'without jobs' })
    await add('on', {})
    await add('off', { is_active: false })
    await add('without a secret', { hasSecret: false })
    await add('stopped', { stoppedAt: -59 * MINUTE_MS })
    await add('stopped an hour ago', { stoppedAt: -60 * MINUTE_MS })
    await add('tried', { stoppedAt: -300 * MINUTE_MS, triedAt: -59 * MINUTE_MS })
    await add('tried an hour ago', { stoppedAt: -300 * MINUTE_MS, triedAt: -60 * MINUTE_MS })
    const list = async () =>
      (await listSending(db, NOW))
        .map(({ name, due, isProbe }) => [name, due, isProbe])
        .sort(([one], [other]) => String(one).localeCompare(String(other)))
    expect(await list()).toEqual([
      ['on', at(5_000), false],
      ['stopped an hour ago', at(0), true],
      ['tried an hour ago', at(0), true],
    ])
    await db
      .updateTable('site_state')
      .set({ tags_paused_at: at(0) })
      .execute()
    expect(await list()).toEqual([])
  })
})
