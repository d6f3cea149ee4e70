import { AuthClient } from '@supabase/auth-js'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { removeFactors } from '#server/auth/accounts/reset-access.ts'
import { createAuthContext } from '#server/auth/auth.ts'
import { Authenticator } from '../support/authenticator.ts'
import { writeDocRow } from '../support/doc-table.ts'
import { TIER_ENGINES } from '../support/engines.ts'
import { QUICK_WORK } from '../support/quick-work.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { AS_NAVIGATION, asDashboard, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const LOGIN_COOKIE = '__Host-Http-portico'

describe.each(TIER_ENGINES)('the second factor on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())
  afterEach(async () => {
    await site.database.db.deleteFrom('auth_factors').execute()
    await site.forgetLimits()
  })

  const client = () =>
    new AuthClient({
      url: `${site.url}/auth/v1`,
      headers: { apikey: keys.anon },
      persistSession: false,
      autoRefreshToken: false,
    })
  const signedIn = async () => {
    const auth = client()
    expect((await auth.signInWithPassword(PRINCIPAL)).error).toBeNull()
    return auth
  }
  const tokenOf = async (auth: ReturnType<typeof client>) =>
    (await auth.getSession()).data.session?.access_token ?? ''
  /** A person with a verified factor, in a session that has shown it. */
  const enrolled = async () => {
    const auth = await signedIn()
    const { data } = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Celular' })
    if (data?.type !== 'totp') throw new Error('no factor')
    const app = new Authenticator(data.totp.secret)
    const { error } = await auth.mfa.challengeAndVerify({ factorId: data.id, code: await app.next() })
    expect(error).toBeNull()
    return { auth, app, factorId: data.id }
  }
  const listPixels = async (bearer: string) =>
    (await call(site, { path: '/rest/v1/tracking_pixels', apikey: keys.anon, bearer })).status
  const api = (method: 'GET' | 'POST' | 'DELETE', path: string, bearer: string, body?: unknown) =>
    call(site, { method, path: `/admin/api${path}`, apikey: keys.anon, bearer, body })

  test('requires the first factor before another is added, at each step', async () => {
    const { auth } = await enrolled()
    const second = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Tablet' })
    if (second.data?.type !== 'totp') throw new Error('no factor')
    const app = new Authenticator(second.data.totp.secret)
    const factorId = second.data.id
    // Somebody who knows the password, and even the new secret, is still at aal1.
    const thief = await signedIn()
    const enrol = await thief.mfa.enroll({ factorType: 'totp', friendlyName: 'Outro' })
    expect(enrol.error).toMatchObject({ status: 403, code: 'insufficient_aal' })
    const verify = await thief.mfa.challengeAndVerify({ factorId, code: await app.next() })
    expect(verify.error).toMatchObject({
      status: 403,
      code: 'insufficient_aal',
      message: 'AAL2 required to enroll a new factor',
    })
    expect(decodeJwt(await tokenOf(thief)).aal).toBe('aal1')
    expect((await auth.mfa.challengeAndVerify({ factorId, code: await app.next() })).error).toBeNull()
    expect((await auth.mfa.listFactors()).data?.totp).toHaveLength(2)
    writeDocRow('docs/reports/attacks.md', 'fixed', [
      'B11a',
      'with the password alone: enrol another authenticator app, or verify one that its owner began to enrol',
      'refused with `insufficient_aal` at both steps',
      '`tests/acceptance/account-factors.test.ts`',
    ])
  })

  test('accepts a code once, in this session and any other', async () => {
    const { auth, app, factorId } = await enrolled()
    const code = await app.next()
    expect((await auth.mfa.challengeAndVerify({ factorId, code })).error).toBeNull()
    const again = await auth.mfa.challengeAndVerify({ factorId, code })
    expect(again.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' })
  })

  test('accepts one of twenty parallel uses of a code', async () => {
    const { auth, app, factorId } = await enrolled()
    const code = await app.next()
    const bearer = await tokenOf(auth)
    const challenge = await call(site, {
      method: 'POST',
      path: `/auth/v1/factors/${factorId}/challenge`,
      apikey: keys.anon,
      bearer,
      body: {},
    })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        call(site, {
          method: 'POST',
          path: `/auth/v1/factors/${factorId}/verify`,
          apikey: keys.anon,
          bearer,
          body: { challenge_id: challenge.body.id, code },
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('a challenge must exist, be fresh, and is answered once', async () => {
    const { auth, app, factorId } = await enrolled()
    const missing = await auth.mfa.verify({ factorId, challengeId: crypto.randomUUID(), code: '000000' })
    expect(missing.error).toMatchObject({ status: 422, code: 'mfa_factor_not_found' })
    const { data: challenge } = await auth.mfa.challenge({ factorId })
    const challengeId = challenge?.id ?? ''
    const first = await auth.mfa.verify({ factorId, challengeId, code: await app.next() })
    expect(first.error).toBeNull()
    const reused = await auth.mfa.verify({ factorId, challengeId, code: await app.next() })
    expect(reused.error).toMatchObject({ status: 422, code: 'mfa_ip_address_mismatch' })
    const { data: old } = await auth.mfa.challenge({ factorId })
    await site.database.db
      .updateTable('auth_challenges')
      .set({ expires_at: new Date(Date.now() - 1).toISOString() })
      .where('id', '=', old?.id ?? '')
      .execute()
    const expired = await auth.mfa.verify({ factorId, challengeId: old?.id ?? '', code: '123456' })
    expect(expired.error).toMatchObject({ status: 422, code: 'mfa_challenge_expired' })
  })

  test('refuses after ten wrong guesses, and after fifteen challenges or answers a minute', async () => {
    const { auth, app, factorId } = await enrolled()
    const { data: challenge } = await auth.mfa.challenge({ factorId })
    const guess = (code: string) => auth.mfa.verify({ factorId, challengeId: challenge?.id ?? '', code })
    await site.forgetLimits()
    for (let n = 0; n < 10; n++) expect((await guess('000000')).error?.code).toBe('mfa_verification_failed')
    expect((await guess(await app.next())).error).toMatchObject({
      status: 429,
      code: 'over_request_rate_limit',
    })
    await site.forgetLimits()
    for (let n = 0; n < 15; n++) expect((await auth.mfa.challenge({ factorId })).error).toBeNull()
    expect((await auth.mfa.challenge({ factorId })).error).toMatchObject({ status: 429 })
  })

  test('ends other aal1 sessions when the factor is shown', async () => {
    const other = await signedIn()
    const { auth } = await enrolled()
    expect((await other.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect((await auth.getUser()).error).toBeNull()
  })

  test('a browser at aal1 opens no tab once the factor is shown elsewhere', async () => {
    const login = await call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: PRINCIPAL,
      headers: asDashboard(site),
    })
    const cookie = `${LOGIN_COOKIE}=${login.cookies[LOGIN_COOKIE]}`
    await enrolled()
    const page = await call(site, { path: '/admin', headers: { ...AS_NAVIGATION, cookie } })
    const boot = JSON.parse(/id="portico-boot">(.*?)<\/script>/.exec(page.text)?.[1] ?? '')
    expect(boot.session).toBeNull()
  })

  test('the data service and /admin/api require aal2', async () => {
    const { auth, app, factorId } = await enrolled()
    const later = await signedIn()
    expect(await listPixels(await tokenOf(later))).toBe(403)
    expect((await api('GET', '/logins', await tokenOf(later))).status).toBe(403)
    expect((await api('POST', '/recovery-codes', await tokenOf(later))).status).toBe(403)
    expect((await later.mfa.challengeAndVerify({ factorId, code: await app.next() })).error).toBeNull()
    expect(await listPixels(await tokenOf(later))).toBe(200)
    expect(await listPixels(await tokenOf(auth))).toBe(200)
    expect((await api('GET', '/logins', await tokenOf(later))).status).toBe(200)
  })

  test("raises the dashboard's login too: a reload and another tab stay at aal2", async () => {
    const { app, factorId } = await enrolled()
    const login = await call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: PRINCIPAL,
      headers: asDashboard(site),
    })
    const cookie = `${LOGIN_COOKIE}=${login.cookies[LOGIN_COOKIE]}`
    const open = async () => {
      const page = await call(site, { path: '/admin', headers: { ...AS_NAVIGATION, cookie } })
      const boot = JSON.parse(/id="portico-boot">(.*?)<\/script>/.exec(page.text)?.[1] ?? '')
      return decodeJwt(boot.session.access_token)
    }
    const tab = await open()
    expect(tab).toMatchObject({ aal: 'aal1', amr: [{ method: 'password' }] })
    const challenge = await call(site, {
      method: 'POST',
      path: `/auth/v1/factors/${factorId}/challenge`,
      apikey: keys.anon,
      bearer: login.body.access_token,
    })
    const verified = await call(site, {
      method: 'POST',
      path: `/auth/v1/factors/${factorId}/verify`,
      apikey: keys.anon,
      bearer: login.body.access_token,
      body: { challenge_id: challenge.body.id, code: await app.next() },
    })
    expect(verified.status).toBe(200)
    expect(verified.body.refresh_token).not.toBe(login.body.refresh_token)
    expect(await open()).toMatchObject({ aal: 'aal2', amr: [{ method: 'totp' }, { method: 'password' }] })
    const sibling = await site.database.db
      .selectFrom('auth_sessions')
      .select('aal')
      .where('id', '=', String(tab.session_id))
      .executeTakeFirst()
    expect(sibling?.aal).toBe('aal2')
  })

  test('unenrolling lowers every session, and requires the factor first', async () => {
    const { auth, factorId } = await enrolled()
    await api('POST', '/recovery-codes', await tokenOf(auth))
    expect((await auth.mfa.unenroll({ factorId })).error).toBeNull()
    const rows = await site.database.db.selectFrom('auth_sessions').select(['aal', 'amr']).execute()
    expect(rows.every(({ aal, amr }) => aal === 'aal1' && amr.every(({ method }) => method !== 'totp'))).toBe(
      true,
    )
    expect(await site.database.db.selectFrom('auth_recovery_codes').select('id').execute()).toEqual([])
    expect(await listPixels(await tokenOf(auth))).toBe(200)
  })

  test('allows ten factors; another person’s factor is not found', async () => {
    const auth = await signedIn()
    for (let n = 0; n < 10; n++)
      expect((await auth.mfa.enroll({ factorType: 'totp', friendlyName: `f${n}` })).error).toBeNull()
    const { error } = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'f10' })
    expect(error).toMatchObject({ status: 422, code: 'too_many_enrolled_mfa_factors' })
    expect((await auth.mfa.unenroll({ factorId: crypto.randomUUID() })).error).toMatchObject({
      status: 404,
      code: 'mfa_factor_not_found',
    })
    expect((await auth.mfa.challenge({ factorId: 'x' })).error?.status).toBe(404)
  })

  test('recovery codes: ten, returned once, stored as hashes, each used once', async () => {
    const { auth } = await enrolled()
    const { status, body } = await api('POST', '/recovery-codes', await tokenOf(auth))
    expect(status).toBe(200)
    const codes = body.codes as string[]
    expect(new Set(codes).size).toBe(10)
    const stored = JSON.stringify(
      await site.database.db.selectFrom('auth_recovery_codes').selectAll().execute(),
    )
    for (const code of codes) expect(stored).not.toContain(code.replace('-', ''))

    const later = await signedIn()
    const bearer = await tokenOf(later)
    const use = (code: string) => api('POST', '/recovery-codes/use', bearer, { code })
    expect(await use('aaaaa-aaaaa')).toMatchObject({ status: 422, body: { error: 'recovery_code_invalid' } })
    expect(await listPixels(bearer)).toBe(403)
    const typed = (codes[3] ?? '').toUpperCase().replace('-', ' ')
    expect(await use(typed)).toMatchObject({ status: 200, body: { left: 9 } })
    expect(await listPixels(bearer)).toBe(200)
    await later.refreshSession()
    expect(decodeJwt(await tokenOf(later))).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'recovery_code' }, { method: 'password' }],
    })
    const third = await signedIn()
    const again = await api('POST', '/recovery-codes/use', await tokenOf(third), { code: codes[3] })
    expect(again.status).toBe(422)
    for (let n = 0; n < 9; n++) await api('POST', '/recovery-codes/use', await tokenOf(third), { code: 'x' })
    const locked = await api('POST', '/recovery-codes/use', await tokenOf(third), { code: codes[4] })
    expect(locked.status).toBe(429)
  })

  test('refuses recovery codes without a second factor', async () => {
    const bearer = await tokenOf(await signedIn())
    expect((await api('POST', '/recovery-codes', bearer)).status).toBe(422)
    expect((await api('POST', '/recovery-codes/use', bearer, { code: 'x' })).status).toBe(422)
    expect((await call(site, { path: '/admin/api/logins', apikey: keys.anon })).status).toBe(401)
    expect((await call(site, { path: '/admin/api/logins' })).status).toBe(401)
  })

  test('lists own logins with the current one first, and ends them one by one', async () => {
    const [auth, other] = [await signedIn(), await signedIn()]
    const bearer = await tokenOf(auth)
    const { body } = await api('GET', '/logins', bearer)
    const ids = (body.logins as { id: string; current: boolean }[]).map(({ id }) => id)
    expect(body.logins[0]).toMatchObject({
      current: true,
      id: decodeJwt(bearer).session_id,
      address: '127.0.0.0/24',
    })
    const otherId = String(decodeJwt(await tokenOf(other)).session_id)
    expect(ids).toContain(otherId)
    expect((await api('DELETE', `/logins/${otherId}`, bearer)).status).toBe(204)
    expect((await other.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect((await api('DELETE', `/logins/${otherId}`, bearer)).status).toBe(404)
    expect((await api('DELETE', '/logins/x', bearer)).status).toBe(404)
  })

  test("cannot end another person's login or session", async () => {
    const body = { email: 'bia@exemplo.com.br', password: PRINCIPAL.password }
    await call(site, {
      method: 'POST',
      path: '/auth/v1/admin/users',
      apikey: keys.service,
      bearer: keys.service,
      body: { ...body, email_confirm: true },
    })
    const bearer = await tokenOf(await signedIn())
    for (const headers of [asDashboard(site), {}]) {
      const theirs = await call(site, {
        method: 'POST',
        path: '/auth/v1/token?grant_type=password',
        apikey: keys.anon,
        body,
        headers,
      })
      const session = await site.database.db
        .selectFrom('auth_sessions')
        .select(['id', 'login_id'])
        .where('id', '=', String(decodeJwt(theirs.body.access_token).session_id))
        .executeTakeFirstOrThrow()
      const { status } = await api('DELETE', `/logins/${session.login_id ?? session.id}`, bearer)
      expect(status).toBe(404)
      const user = await call(site, {
        path: '/auth/v1/user',
        apikey: keys.anon,
        bearer: theirs.body.access_token,
      })
      expect(user.status).toBe(200)
    }
  })

  test('the operator removes the factors of a lost phone, and every session with them', async () => {
    const { auth } = await enrolled()
    const context = await createAuthContext(site.config, site.database.db, site.secrets, QUICK_WORK)
    expect(await removeFactors(context, PRINCIPAL.email.toUpperCase())).toMatchObject({ factors: 1 })
    expect(await removeFactors(context, 'ninguem@exemplo.com.br')).toBeNull()
    expect((await auth.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect(await listPixels(await tokenOf(await signedIn()))).toBe(200)
    const audit = await site.database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', 'auth.factors_removed')
      .executeTakeFirst()
    expect(audit).toMatchObject({ actor: 'command line' })
  })

  test('removing a factor with a service key lowers the person’s sessions', async () => {
    const { auth, factorId } = await enrolled()
    const { data } = await auth.getUser()
    const answer = await call(site, {
      method: 'DELETE',
      path: `/auth/v1/admin/users/${data.user?.id}/factors/${factorId}`,
      apikey: keys.service,
      bearer: keys.service,
    })
    expect(answer.status).toBe(200)
    await auth.refreshSession()
    expect(decodeJwt(await tokenOf(auth)).aal).toBe('aal1')
  })
})
