import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { sweepAudit } from './activity/trail.ts'
import { sweepExpired } from './auth/sessions/revoke.ts'
import { eraseRecords } from './consent/records.ts'
import type { Database } from './db/database.ts'
import { STEP_ROWS } from './db/sweep.ts'
import { requeue } from './newsletter/admin-routes.ts'
import { adoptSubscriptions } from './newsletter/webhook.ts'
import { sweepTagData } from './tags/tag-counts.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ago = (days: number) => new Date(NOW - days * DAY_MS).toISOString()
/** More than two steps, and no whole number of them. */
const MANY = STEP_ROWS * 2 + 7
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

describe.each(ENGINES)('what is past its time goes, all of it and nothing else, on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  test('audit events and failed sign-ins, each after its own time', async () => {
    const { db } = database
    const event = (action: string, days: number) => ({
      id: randomUUID(),
      actor_id: null,
      actor: 'guest',
      action,
      created_at: ago(days),
    })
    await db
      .insertInto('audit_events')
      .values([
        ...times(MANY, () => event('auth.sign_in_failed', 91)),
        ...times(MANY, () => event('user.created', 731)),
        event('auth.sign_in_failed', 89),
        event('user.created', 729),
      ])
      .execute()
    await sweepAudit(db, { auditDays: 730, failedLoginDays: 90 }, undefined, NOW)
    const left = await db.selectFrom('audit_events').select('created_at').orderBy('created_at').execute()
    expect(left.map((row) => row.created_at)).toEqual([ago(729), ago(89)])
  })

  test('consent records and reports, but never the last run of a tag', async () => {
    const { db } = database
    const consent = (days: number) => ({
      id: randomUUID(),
      consent_id: randomUUID(),
      action: 'accept',
      categories: '[]',
      text_version: 1,
      tag_set_version: 'x',
      created_at: ago(days),
    })
    await db
      .insertInto('consent_records')
      .values([...times(MANY, () => consent(1827)), consent(1825)])
      .execute()
    const pixel_id = await insertPixel(db, { type: 'meta' })
    const report = (hours: number) => {
      const hour = new Date(NOW - 400 * DAY_MS - hours * HOUR_MS).toISOString()
      return { pixel_id, hour, ran: 1, last_ran_at: hour }
    }
    await db.insertInto('tag_reports').values(times(MANY, report)).execute()
    await sweepTagData(db, { reportDays: 396 }, undefined, NOW)
    await eraseRecords(db, { consentDays: 1826 }, undefined, NOW)
    expect(await db.selectFrom('consent_records').select('created_at').execute()).toEqual([
      { created_at: ago(1825) },
    ])
    expect(await db.selectFrom('tag_reports').select('hour').execute()).toEqual([{ hour: ago(400) }])
  })

  test('sessions: with their login, or by their own last use when they have no cookie', async () => {
    const { db } = database
    const user_id = randomUUID()
    const at = ago(0)
    await db
      .insertInto('auth_users')
      .values({
        id: user_id,
        email: 'ana@exemplo.com.br',
        user_metadata: '{}',
        app_metadata: '{}',
        created_at: at,
        updated_at: at,
      })
      .execute()
    const common = { user_id, aal: 'aal1' as const, amr: '[]', user_agent: '' }
    const login = (days: number) => ({
      ...common,
      id: randomUUID(),
      token_hash: randomUUID(),
      created_at: ago(days),
      last_used_at: ago(days),
      expires_at: ago(days - 7),
    })
    const [old, fresh] = [login(1), login(0)]
    await db.insertInto('auth_logins').values([old, fresh]).execute()
    const session = (login_id: string | null, days: number) => ({
      ...common,
      id: randomUUID(),
      login_id,
      created_at: ago(days),
      last_used_at: ago(days),
    })
    const kept = [session(fresh.id, 0), session(null, 29)]
    await db
      .insertInto('auth_sessions')
      .values([...times(MANY, () => session(null, 31)), session(old.id, 1), ...kept])
      .execute()
    await sweepExpired(db, undefined, NOW)
    const left = await db.selectFrom('auth_sessions').select('id').execute()
    expect(left.map((row) => row.id).sort()).toEqual(kept.map((row) => row.id).sort())
  })

  test('a sweep that is told to stop stops between two steps, and the next one goes on', async () => {
    const { db } = database
    const event = () => ({
      id: randomUUID(),
      actor_id: null,
      actor: 'guest',
      action: 'x',
      created_at: ago(1000),
    })
    await db.deleteFrom('audit_events').execute()
    await db.insertInto('audit_events').values(times(MANY, event)).execute()
    const retention = { auditDays: 730, failedLoginDays: 90 }
    await sweepAudit(db, retention, AbortSignal.abort(), NOW)
    expect(await db.selectFrom('audit_events').select('id').execute()).toHaveLength(MANY)
    await sweepAudit(db, retention, undefined, NOW)
    expect(await db.selectFrom('audit_events').select('id').execute()).toEqual([])
  })

  test('subscriptions that were given up or wait go back into the queue, step by step', async () => {
    const { db } = database
    const subscription = (status: 'pending' | 'failed' | 'delivered', days: number) => ({
      id: randomUUID(),
      email: `${randomUUID()}@exemplo.com.br`,
      status,
      delivery_key: randomUUID(),
      attempts: 3,
      next_attempt_at: ago(days),
      created_at: ago(9),
    })
    await db
      .insertInto('newsletter_subscriptions')
      .values([
        ...times(MANY, () => subscription('failed', 1)),
        ...times(MANY, () => subscription('pending', -1)),
        subscription('pending', 1),
        subscription('delivered', 1),
      ])
      .execute()
    expect(await adoptSubscriptions(db, NOW)).toBe(MANY + 1)
    expect(await requeue(db, NOW)).toEqual({ failed: MANY, waiting: MANY })
    expect(await requeue(db, NOW)).toEqual({ failed: 0, waiting: 0 })
    const due = await db
      .selectFrom('newsletter_subscriptions')
      .innerJoin('deliveries', 'deliveries.subscription_id', 'newsletter_subscriptions.id')
      .select('deliveries.id')
      .where('status', '=', 'pending')
      .where('deliveries.next_attempt_at', '<=', ago(0))
      .execute()
    expect(due).toHaveLength(2 * MANY + 1)
  })
})
