import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { resetPassword } from '#server/auth/accounts/reset-access.ts'
import { createAuthContext } from '#server/auth/auth.ts'
import { ENGINES } from '../support/engines.ts'
import { QUICK_WORK } from '../support/quick-work.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const CHAIN = 5_000
const BATCH = 500

/** SQLite stops a cascade in a table that refers to itself after 1,000 rows. */
describe.each(ENGINES)(`a session of ${CHAIN} refreshes on %s`, (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let password = PRINCIPAL.password
  let bearer: string
  let sessionId: string
  beforeAll(async () => {
    site = await startTestApp({ engine })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.forgetLimits()
    ;({ bearer, sessionId } = await signIn())
    await lengthen(sessionId)
  })

  const signIn = async () => {
    const { body } = await call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: { email: PRINCIPAL.email, password },
    })
    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString())
    return { bearer: String(body.access_token), sessionId: String(claims.session_id) }
  }

  /** Each row is the parent of the next, as in a database that was never pruned. */
  const lengthen = async (id: string) => {
    const created_at = new Date(Date.now() - 3_600_000).toISOString()
    const ids = Array.from({ length: CHAIN }, () => randomUUID())
    const rows = ids.map((row, n) => ({
      id: row,
      session_id: id,
      token_hash: `chain-${row}`,
      parent_id: ids[n - 1] ?? null,
      used_at: created_at,
      created_at,
    }))
    await site.database.db.transaction().execute(async (trx) => {
      for (let at = 0; at < CHAIN; at += BATCH)
        await trx
          .insertInto('auth_refresh_tokens')
          .values(rows.slice(at, at + BATCH))
          .execute()
    })
  }

  const left = async () => {
    const of = (table: 'auth_sessions' | 'auth_refresh_tokens', column: 'id' | 'session_id') =>
      site.database.db.selectFrom(table).select('id').where(column, '=', sessionId).execute()
    return [...(await of('auth_sessions', 'id')), ...(await of('auth_refresh_tokens', 'session_id'))].length
  }
  const authenticated = (method: 'POST' | 'PUT' | 'DELETE', path: string, as: string, body: unknown = {}) =>
    call(site, { method, path, apikey: keys.anon, bearer: as, body })

  test.each(['local', 'global'])('ends at "sign out" (%s)', async (scope) => {
    expect((await authenticated('POST', `/auth/v1/logout?scope=${scope}`, bearer)).status).toBe(204)
    expect(await left()).toBe(0)
  })

  test('ends when another session signs the others out', async () => {
    const other = await signIn()
    expect((await authenticated('POST', '/auth/v1/logout?scope=others', other.bearer)).status).toBe(204)
    expect(await left()).toBe(0)
  })

  test('ends from the list of logins', async () => {
    const other = await signIn()
    expect((await authenticated('DELETE', `/admin/api/logins/${sessionId}`, other.bearer)).status).toBe(204)
    expect(await left()).toBe(0)
  })

  test('ends when another session changes the password', async () => {
    const other = await signIn()
    const change = { password: 'varanda-azulejo-27', current_password: password }
    expect((await authenticated('PUT', '/auth/v1/user', other.bearer, change)).status).toBe(200)
    password = change.password
    expect(await left()).toBe(0)
  })

  test('ends with `reset-password`', async () => {
    const auth = await createAuthContext(site.config, site.database.db, site.secrets, QUICK_WORK)
    const made = await resetPassword(auth, PRINCIPAL.email)
    password = made ?? ''
    expect(await left()).toBe(0)
  })
})
