import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { STEP_ROWS } from '../db/sweep.ts'
import { makeDue } from './queue.ts'

const NOW = Date.UTC(2026, 10, 16, 9)
const at = (ms: number) => new Date(NOW + ms).toISOString()

describe.each(ENGINES)('another try, on %s', (engine) => {
  test('all that waits of one pixel is due, in however many steps, but for what is being sent', async () => {
    const { db, close } = await makeDatabase(engine)
    onTestFinished(close)
    const [ours, other] = [await insertPixel(db, { type: 'meta' }), await insertPixel(db, { type: 'meta' })]
    const row = (pixel_id: string, leased_until: string | null) => ({
      id: randomUUID(),
      pixel_id,
      kind: 'meta' as const,
      event_id: randomUUID(),
      event: 'lead' as const,
      consent_id: randomUUID(),
      category: 'marketing' as const,
      payload: '{}',
      created_at: at(0),
      expires_at: at(86_400_000),
      next_attempt_at: at(3_600_000),
      leased_until,
    })
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
})
