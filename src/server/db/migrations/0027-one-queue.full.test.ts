import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ENGINES, makeStorage } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { openDatabase } from '../database.ts'
import { MIGRATIONS, migrate } from '../migrate.ts'

const AT = '2026-11-15T12:00:00.000Z'
const LATER = '2026-11-15T13:00:00.000Z'
const LEASED = '2026-11-15T12:00:30.000Z'

describe.each(ENGINES)('the migration 0027 on %s', (engine) => {
  test('carries over waiting subscriptions and events, and nothing else', async () => {
    const storage = await makeStorage(engine)
    const database = openDatabase(storage)
    const { db } = database
    await migrate(db, Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0027')))

    const pixelId = await insertPixel(db, { type: 'meta' })
    const event = {
      id: randomUUID(),
      kind: 'meta' as const,
      pixel_id: pixelId,
      event_id: randomUUID(),
      event: 'lead' as const,
      consent_id: randomUUID(),
      category: 'marketing' as const,
      payload: '{"at":1}',
      attempts: 3,
      next_attempt_at: LATER,
      leased_until: LEASED,
      sent_at: AT,
      created_at: AT,
      expires_at: LATER,
    }
    await db.insertInto('deliveries').values(event).execute()
    const ids = { waits: randomUUID(), claimed: randomUUID(), delivered: randomUUID(), failed: randomUUID() }
    const subscription = (
      id: string,
      status: 'pending' | 'delivered' | 'failed',
      rest: { attempts?: number; next_attempt_at?: string; leased_until?: string } = {},
    ) => ({
      id,
      email: `${id}@exemplo.com.br`,
      status,
      delivery_key: randomUUID(),
      next_attempt_at: AT,
      created_at: AT,
      ...rest,
    })
    await db
      .insertInto('newsletter_subscriptions')
      .values(subscription(ids.waits, 'pending', { attempts: 4, next_attempt_at: LATER }))
      .execute()
    await db
      .insertInto('newsletter_subscriptions')
      .values(subscription(ids.claimed, 'pending', { leased_until: LEASED }))
      .execute()
    for (const status of ['delivered', 'failed'] as const)
      await db.insertInto('newsletter_subscriptions').values(subscription(ids[status], status)).execute()
    const before = await db.selectFrom('newsletter_subscriptions').selectAll().orderBy('id').execute()

    await migrate(db)
    expect(await db.selectFrom('newsletter_subscriptions').selectAll().orderBy('id').execute()).toEqual(
      before,
    )
    /** Columns of later migrations. */
    const sinceThen = { email_hash: null }
    const rows = await db.selectFrom('deliveries').selectAll().execute()
    expect(rows).toHaveLength(3)
    expect(rows.find(({ id }) => id === event.id)).toEqual({
      ...event,
      ...sinceThen,
      subscription_id: null,
      sealed: null,
    })
    const nothing = {
      ...sinceThen,
      pixel_id: null,
      event_id: null,
      event: null,
      consent_id: null,
      category: null,
      leased_until: null,
      sent_at: null,
      expires_at: null,
      sealed: null,
    }
    const carried = { kind: 'newsletter', payload: '{}', created_at: AT, ...nothing }
    for (const [id, rest] of [
      [ids.waits, { attempts: 4, next_attempt_at: LATER }],
      [ids.claimed, { attempts: 0, next_attempt_at: LEASED }],
    ] as const)
      expect(rows.find((row) => row.id === id)).toEqual({ id, subscription_id: id, ...carried, ...rest })

    // An event is stored once, and erased people leave the queue.
    await expect(
      db
        .insertInto('deliveries')
        .values({ ...event, id: randomUUID() })
        .execute(),
    ).rejects.toThrow()
    await db.deleteFrom('newsletter_subscriptions').where('id', '=', ids.waits).execute()
    await db.deleteFrom('tracking_pixels').where('id', '=', pixelId).execute()
    expect((await db.selectFrom('deliveries').select('id').execute()).map(({ id }) => id)).toEqual([
      ids.claimed,
    ])
    if (engine === 'sqlite') expect((await sql`pragma foreign_key_check`.execute(db)).rows).toEqual([])
    await database.close()
    await storage.remove()
  })
})
