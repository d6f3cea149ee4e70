import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#server/db/database.ts'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { insertUser } from '../users/insert-user.ts'
import { openLogin, openSession, passwordAmr } from './open-session.ts'
import { makeRefreshToken } from './refresh-token.ts'
import { rotateRefreshToken } from './rotate-refresh-token.ts'

const START = Date.parse('2026-11-15T12:00:00.000Z')
const at = (seconds: number) => new Date(START + seconds * 1000)
const HOUR = 3600

describe.each(ENGINES)('the refresh token on %s', (engine) => {
  let database: Database
  let userId: string
  let first: string
  let sessionId: string
  let people = 0
  /** Whoever waits longer than five seconds for one of the pool's ten connections is refused: a slow machine gets through these. */
  const many = engine === 'postgres' ? 30 : 100

  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    const email = `pessoa${people++}@exemplo.com.br`
    const user = await insertUser(database.db, { email, passwordHash: null, confirmed: true })
    userId = user?.id ?? ''
    const opened = await open(null)
    first = opened.refreshToken
    sessionId = opened.sessionId
  })

  const open = (loginId: string | null) =>
    openSession(database.db, { userId, loginId, aal: 'aal1', amr: passwordAmr(START), userAgent: '' }, at(0))
  const rotate = async (token: string, seconds: number) =>
    (await rotateRefreshToken(database.db, token, at(seconds))).session.refreshToken
  const sessions = () =>
    database.db.selectFrom('auth_sessions').select('id').where('user_id', '=', userId).execute()
  const audited = () =>
    database.db
      .selectFrom('audit_events')
      .select('action')
      .where('subject', '=', sessionId)
      .where('action', '=', 'auth.refresh_token_reused')
      .execute()

  test('is exchanged for another one of the same session, for ever', async () => {
    let token = first
    const seen = new Set([first])
    for (let hour = 1; hour <= 5; hour++) {
      token = await rotate(token, hour * HOUR)
      seen.add(token)
    }
    expect(seen.size).toBe(6)
    expect(await sessions()).toHaveLength(1)
  })

  test('shown again within ten seconds gives another one, and both go on', async () => {
    const one = await rotate(first, 100)
    const two = await rotate(first, 109.9)
    expect(two).not.toBe(one)
    await rotate(one, 200)
    await rotate(two, 300)
    expect(await sessions()).toHaveLength(1)
  })

  test('after a lost answer gives another one at any time, and retires the one that never arrived', async () => {
    const lost = await rotate(first, 100)
    const found = await rotate(first, 100 + 20 * HOUR)
    await rotate(found, 100 + 21 * HOUR)
    await expect(rotate(lost, 100 + 22 * HOUR)).rejects.toMatchObject({ code: 'refresh_token_already_used' })
    expect(await sessions()).toEqual([])
  })

  test('shown again after its child was used ends the session, and the audit trail says so', async () => {
    const second = await rotate(first, 100)
    const third = await rotate(second, 105)
    await expect(rotate(first, 111)).rejects.toMatchObject({
      status: 400,
      code: 'refresh_token_already_used',
      message: 'Invalid Refresh Token: Already Used',
    })
    expect(await sessions()).toEqual([])
    expect(await audited()).toHaveLength(1)
    await expect(rotate(third, 112)).rejects.toMatchObject({ code: 'refresh_token_not_found' })
  })

  test('many at once of one token all get theirs, and each of them works', async () => {
    const all = await Promise.all(Array.from({ length: many }, () => rotate(first, 100)))
    expect(new Set(all).size).toBe(many)
    await Promise.all(all.map((token) => rotate(token, 4000)))
    expect(await sessions()).toHaveLength(1)
    expect(await audited()).toEqual([])
  })

  test('many at once after a lost answer all get theirs, and each of them works', async () => {
    await rotate(first, 100)
    const all = await Promise.all(Array.from({ length: many }, () => rotate(first, 4000)))
    await Promise.all(all.map((token) => rotate(token, 8000)))
    expect(await sessions()).toHaveLength(1)
  })

  test.each([
    ['twelve idle hours', 12 * HOUR, 'Invalid Refresh Token: Session Expired (Inactivity)'],
    ['seven days', 7 * 24 * HOUR, 'Invalid Refresh Token: Session Expired'],
  ])('of a browser’s tab is worth nothing after %s', async (_what, seconds, message) => {
    const login = await openLogin(database.db, { userId, aal: 'aal1', userAgent: '' }, at(0))
    let { refreshToken } = await open(login.loginId)
    const step = 11 * HOUR
    if (seconds > 12 * HOUR)
      for (let t = step; t < seconds; t += step) refreshToken = await rotate(refreshToken, t)
    await expect(rotate(refreshToken, seconds)).rejects.toMatchObject({ code: 'session_expired', message })
  })

  const kept = async () =>
    (
      await database.db
        .selectFrom('auth_refresh_tokens')
        .select('id')
        .where('session_id', '=', sessionId)
        .execute()
    ).length

  test('of a session that is exchanged eighty times leaves a handful of rows', async () => {
    let token = first
    for (let n = 1; n <= 80; n++) token = await rotate(token, n * 11)
    expect(await kept()).toBeLessThanOrEqual(4)
    await rotate(token, 81 * 11)
  })

  /** So many exchanges within a second, as they are left behind: the token that came last. */
  async function exchangedUpTo(count: number): Promise<string> {
    const { db } = database
    const ofSession = db.selectFrom('auth_refresh_tokens').select('id').where('session_id', '=', sessionId)
    let { id: parent_id } = await ofSession.executeTakeFirstOrThrow()
    await db
      .updateTable('auth_refresh_tokens')
      .set({ used_at: at(100).toISOString() })
      .where('id', '=', parent_id)
      .execute()
    let last = first
    const rows = Array.from({ length: count }, (_, n) => {
      const { token, hash } = makeRefreshToken(sessionId)
      last = token
      const time = at(100 + n / count).toISOString()
      const row = { id: randomUUID(), session_id: sessionId, token_hash: hash, parent_id, created_at: time }
      parent_id = row.id
      return { ...row, used_at: n === count - 1 ? null : time }
    })
    await db.insertInto('auth_refresh_tokens').values(rows).execute()
    return last
  }

  test('exchanged as fast as a thief can leaves a bounded number, and its victim still ends the session', async () => {
    let token = await exchangedUpTo(960)
    for (let n = 1; n <= 90; n++) token = await rotate(token, 101 + n / 1_000)
    expect(await kept()).toBeLessThanOrEqual(1_000)
    token = await rotate(token, 200)
    expect(await kept()).toBeLessThanOrEqual(3)
    await expect(rotate(first, 201)).rejects.toMatchObject({ code: 'refresh_token_already_used' })
    expect(await sessions()).toEqual([])
    expect(await audited()).toHaveLength(1)
    await expect(rotate(token, 202)).rejects.toMatchObject({ code: 'refresh_token_not_found' })
  })

  test('that nobody handed out is not found', async () => {
    await expect(rotate('never-handed-out', 1)).rejects.toMatchObject({
      status: 400,
      code: 'refresh_token_not_found',
    })
  })
})
