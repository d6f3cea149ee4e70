import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { adoptSubscriptions } from './webhook.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const at = (ms: number) => new Date(NOW + ms).toISOString()

describe.each(TIER_ENGINES)('subscriptions without a job, on %s', (engine) => {
  test('get one when they wait and no older process holds them, and only one', async () => {
    const database = await makeDatabase(engine)
    const { db } = database
    const insert = async (
      status: 'pending' | 'delivered' | 'failed',
      leased_until: string | null = null,
    ): Promise<string> => {
      const id = randomUUID()
      await db
        .insertInto('newsletter_subscriptions')
        .values({
          id,
          email: `${id}@exemplo.com.br`,
          status,
          delivery_key: randomUUID(),
          attempts: 3,
          next_attempt_at: at(60_000),
          leased_until,
          created_at: at(-1000),
        })
        .execute()
      return id
    }
    const restored = await insert('pending')
    const ended = await insert('pending', at(-1))
    const held = await insert('pending', at(20_000))
    await insert('delivered')
    await insert('failed')
    expect(await adoptSubscriptions(db, NOW)).toBe(2)
    expect(await adoptSubscriptions(db, NOW)).toBe(0)
    const rows = await db.selectFrom('deliveries').selectAll().execute()
    expect(rows.map(({ subscription_id }) => subscription_id).sort()).toEqual([restored, ended].sort())
    expect(rows[0]).toMatchObject({ kind: 'newsletter', attempts: 3, next_attempt_at: at(60_000) })
    expect(await adoptSubscriptions(db, NOW + 30_000)).toBe(1)
    expect(await db.selectFrom('deliveries').select('id').where('id', '=', held).execute()).toHaveLength(1)
    await database.close()
  })
})
