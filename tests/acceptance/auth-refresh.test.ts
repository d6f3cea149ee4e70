import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { TIER_ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

describe.each(TIER_ENGINES)('POST /token?grant_type=refresh_token on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  beforeAll(async () => {
    site = await startTestApp({ engine })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())
  afterEach(() => {
    vi.useRealTimers()
  })

  const post = (grant: string, body: object) =>
    call(site, { method: 'POST', path: `/auth/v1/token?grant_type=${grant}`, apikey: keys.anon, body })
  const refresh = (token: string) => post('refresh_token', { refresh_token: token })
  const signIn = async () => {
    const { body } = await post('password', PRINCIPAL)
    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString())
    return { token: String(body.refresh_token), sessionId: String(claims.session_id) }
  }
  /** Only the date moves: the server's timers continue. */
  const later = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
  const reusesAudited = (sessionId: string) =>
    site.database.db
      .selectFrom('audit_events')
      .select('id')
      .where('action', '=', 'auth.refresh_token_reused')
      .where('subject', '=', sessionId)
      .execute()

  test('rejects a forged token and leaves the session that it names alone', async () => {
    const { token, sessionId } = await signIn()
    const id = Buffer.from(sessionId.replaceAll('-', ''), 'hex')
    const forged = [
      id.toString('base64url') + randomBytes(32).toString('base64url'),
      Buffer.concat([id, randomBytes(38)]).toString('base64url'),
      `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
    ]
    for (const each of forged)
      expect(await refresh(each)).toMatchObject({ status: 400, body: { code: 'refresh_token_not_found' } })
    expect(await reusesAudited(sessionId)).toEqual([])
    expect((await refresh(token)).status).toBe(200)
  })

  test('a token used again after its successor was used opens no second chain', async () => {
    const { token, sessionId } = await signIn()
    const second = (await refresh(token)).body.refresh_token
    const third = (await refresh(second)).body.refresh_token
    expect((await refresh(token)).body.refresh_token).toBe(third)
    expect((await refresh(second)).body.refresh_token).toBe(third)
    later(60)
    expect((await refresh(third)).status).toBe(200)
    later(60)
    expect(await refresh(token)).toMatchObject({ status: 400, body: { code: 'refresh_token_already_used' } })
    expect(await reusesAudited(sessionId)).toHaveLength(1)
  })

  test('a refresh executed 45 s late by a frozen process signs nobody out', async () => {
    const { token, sessionId } = await signIn()
    const next = (await refresh(token)).body.refresh_token
    later(45)
    expect((await refresh(token)).status).toBe(200)
    expect((await refresh(next)).status).toBe(200)
    expect(await reusesAudited(sessionId)).toEqual([])
  })

  test('concurrent calls with one token get the same next token, repeatedly', async () => {
    let { token } = await signIn()
    for (let round = 0; round < 5; round++) {
      const shown = token
      const answers = await Promise.all(Array.from({ length: 12 }, () => refresh(shown)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      const next = new Set(answers.map(({ body }) => String(body.refresh_token)))
      expect(next.size).toBe(1)
      token = [...next][0] ?? ''
      expect(token).not.toBe(shown)
    }
  })
})
