import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#server/db/database.ts'
import { hashOpaqueToken } from '#server/secrets/tokens.ts'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { lockAccount } from '../accounts/change-account.ts'
import { insertUser } from '../accounts/users.ts'
import { openLogin, openSession, passwordAmr } from './issue.ts'
import { rotateRefreshToken } from './refresh.ts'

const START = Date.parse('2026-11-15T12:00:00.000Z')
const at = (seconds: number) => new Date(START + seconds * 1000)
const HOUR = 3600
const refreshSecret = 'segredo'

describe.each(ENGINES)('the refresh token on %s', (engine) => {
  let database: Database
  let userId: string
  let first: string
  let sessionId: string
  let people = 0
  /** A caller that waits five seconds for one of ten connections is refused; this number fits on a slow machine. */
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

  const open = async (loginId: string | null) =>
    openSession(
      { refreshSecret },
      await lockAccount(database.db, { userId }),
      { loginId, aal: 'aal1', amr: passwordAmr(START), userAgent: '' },
      at(0),
    )
  const rotate = async (token: string, seconds: number) =>
    (await rotateRefreshToken({ db: database.db, refreshSecret }, token, at(seconds))).session.refreshToken
  const sessions = () =>
    database.db.selectFrom('auth_sessions').select('id').where('user_id', '=', userId).execute()
  const audited = () =>
    database.db
      .selectFrom('audit_events')
      .select('action')
      .where('subject', '=', sessionId)
      .where('action', '=', 'auth.refresh_token_reused')
      .execute()

  test('is exchanged for the next one of the same session', async () => {
    let token = first
    const seen = new Set([first])
    for (let hour = 1; hour <= 5; hour++) {
      token = await rotate(token, hour * HOUR)
      seen.add(token)
    }
    expect(seen.size).toBe(6)
    expect(await sessions()).toHaveLength(1)
  })

  test('used again gives the same next one, at any time', async () => {
    const next = await rotate(first, 100)
    expect(await rotate(first, 109.9)).toBe(next)
    expect(await rotate(first, 100 + 11 * HOUR)).toBe(next)
    expect(await rotate(next, 100 + 12 * HOUR)).not.toBe(next)
    expect(await sessions()).toHaveLength(1)
  })

  test('used again after its successor was used ends the session, with an audit event', async () => {
    const second = await rotate(first, 100)
    const third = await rotate(second, 105)
    expect(await rotate(first, 114)).toBe(third)
    await expect(rotate(first, 116)).rejects.toMatchObject({
      status: 400,
      code: 'refresh_token_already_used',
      message: 'Invalid Refresh Token: Already Used',
    })
    expect(await sessions()).toEqual([])
    expect(await audited()).toHaveLength(1)
    await expect(rotate(third, 117)).rejects.toMatchObject({ code: 'refresh_token_not_found' })
  })

  test.each([
    ['that a client holds', 100],
    ['whose answer was lost', 4000],
  ])('%s, used many times at once, gives one next token', async (_which, seconds) => {
    const next = await rotate(first, 100)
    const all = await Promise.all(Array.from({ length: many }, () => rotate(first, seconds)))
    expect(new Set(all)).toEqual(new Set([next]))
    await Promise.all(all.map((token) => rotate(token, 8000)))
    expect(await sessions()).toHaveLength(1)
    expect(await audited()).toEqual([])
  })

  test('newer than the session of a restored backup is exchanged', async () => {
    const { refresh_counter, refreshed_at } = await database.db
      .selectFrom('auth_sessions')
      .selectAll()
      .where('id', '=', sessionId)
      .executeTakeFirstOrThrow()
    const second = await rotate(first, HOUR)
    const third = await rotate(second, 2 * HOUR)
    await database.db
      .updateTable('auth_sessions')
      .set({ refresh_counter, refreshed_at })
      .where('id', '=', sessionId)
      .execute()
    const fourth = await rotate(third, 3 * HOUR)
    expect(new Set([first, second, third, fourth]).size).toBe(4)
    await rotate(fourth, 4 * HOUR)
    expect(await sessions()).toHaveLength(1)
  })

  test.each([
    ['twelve idle hours', 12 * HOUR, 'Invalid Refresh Token: Session Expired (Inactivity)'],
    ['seven days', 7 * 24 * HOUR, 'Invalid Refresh Token: Session Expired'],
  ])('of a browser’s tab is refused after %s', async (_what, seconds, message) => {
    const login = await openLogin(
      await lockAccount(database.db, { userId }),
      { aal: 'aal1', userAgent: '' },
      at(0),
    )
    let { refreshToken } = await open(login.loginId)
    const step = 11 * HOUR
    if (seconds > 12 * HOUR)
      for (let t = step; t < seconds; t += step) refreshToken = await rotate(refreshToken, t)
    await expect(rotate(refreshToken, seconds)).rejects.toMatchObject({ code: 'session_expired', message })
    // The session is deleted: another clock does not bring it back.
    await expect(rotate(refreshToken, seconds - HOUR)).rejects.toMatchObject({
      code: 'refresh_token_not_found',
    })
  })

  test.each([
    ['banned', { banned_until: '2999-01-01T00:00:00.000Z' }, 'user_banned'],
    ['deleted', { deleted_at: at(0).toISOString() }, 'refresh_token_not_found'],
  ])('of a %s person is refused', async (_what, change, code) => {
    await database.db.updateTable('auth_users').set(change).where('id', '=', userId).execute()
    await expect(rotate(first, 100)).rejects.toMatchObject({ status: 400, code })
  })

  /** A token as stored before sessions counted their refreshes. */
  async function store(marks: { used_at?: string; retired_at?: string } = {}): Promise<string> {
    const token = randomUUID()
    const row = { id: randomUUID(), session_id: sessionId, token_hash: hashOpaqueToken(token) }
    await database.db
      .insertInto('auth_refresh_tokens')
      .values({ ...row, created_at: at(0).toISOString(), ...marks })
      .execute()
    return token
  }

  test('of the old form is exchanged for a new one of the same chain', async () => {
    const former = await store({ used_at: at(50).toISOString() })
    const newest = await store()
    const next = await rotate(newest, 100)
    expect(await rotate(newest, 4000)).toBe(next)
    await rotate(next, 5000)
    await expect(rotate(former, 6000)).rejects.toMatchObject({ code: 'refresh_token_already_used' })
    expect(await sessions()).toEqual([])
  })

  test('of the old form is exchanged when its answer was lost, and so is its predecessor', async () => {
    const parent = await store({ used_at: at(50).toISOString() })
    const child = await store()
    const found = await rotate(parent, 4000)
    expect(await rotate(found, 5000)).toBe(await rotate(child, 6000))
    expect(await sessions()).toHaveLength(1)
  })

  test('of the old form that was retired ends the session', async () => {
    const retired = await store({ retired_at: at(50).toISOString() })
    await expect(rotate(retired, 100)).rejects.toMatchObject({ code: 'refresh_token_already_used' })
    expect(await sessions()).toEqual([])
  })

  test('that was never issued is not found', async () => {
    await expect(rotate('never-handed-out', 1)).rejects.toMatchObject({
      status: 400,
      code: 'refresh_token_not_found',
    })
  })
})
