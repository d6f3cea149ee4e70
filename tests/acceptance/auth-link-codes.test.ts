import { createHash } from 'node:crypto'
import { AuthClient } from '@supabase/auth-js'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TIER_ENGINES } from '../support/engines.ts'
import { Mailbox } from '../support/mailbox.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { type Answer, AS_NAVIGATION, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const { email } = PRINCIPAL
const CALLBACK = 'https://app.exemplo.com.br/auth/callback'
const VERIFIER = 'v'.repeat(56)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const PKCE = { code_challenge: CHALLENGE, code_challenge_method: 's256' }

describe.each(TIER_ENGINES)('link codes (PKCE), on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let mailbox: Mailbox
  beforeAll(async () => {
    mailbox = await Mailbox.open()
    const env = { SMTP_URL: mailbox.url, AUTH_SIGNUP: 'open', AUTH_REDIRECT_URLS: CALLBACK }
    site = await startTestApp({ engine, listen: true, env })
    keys = await readKeys(site)
  })
  afterAll(async () => {
    await site.close()
    await mailbox.close()
  })
  afterEach(() => site.forgetLimits())

  const post = (path: string, body: unknown) =>
    call(site, { method: 'POST', path: `/auth/v1/${path}`, apikey: keys.anon, body })
  const ask = (path: string, body: object, to = CALLBACK) =>
    post(`${path}?redirect_to=${encodeURIComponent(to)}`, body)
  const exchange = (code: string, verifier = VERIFIER) =>
    post('token?grant_type=pkce', { auth_code: code, code_verifier: verifier })
  const follow = (link: string, more = '') => {
    const { pathname, search } = new URL(link)
    return call(site, { path: pathname + search + more, headers: AS_NAVIGATION })
  }
  const targetOf = ({ headers }: Answer) => new URL(String(headers.location))
  const recoveryLink = async (body: object = PKCE, to = CALLBACK) => {
    expect(await ask('recover', { email, ...body }, to)).toMatchObject({ status: 200, text: '{}' })
    return (await mailbox.take(email)).link
  }
  const codeOf = async (link: string) => {
    const target = targetOf(await follow(link))
    expect(target.origin + target.pathname).toBe(CALLBACK)
    return target.searchParams.get('code') ?? ''
  }

  test.each(['recovery', 'magiclink', 'signup'] as const)(
    'the official client signs in by an email of %s',
    async (kind) => {
      const items = new Map<string, string>()
      const client = new AuthClient({
        url: `${site.url}/auth/v1`,
        headers: { apikey: keys.anon },
        flowType: 'pkce',
        autoRefreshToken: false,
        storage: {
          getItem: (key) => items.get(key) ?? null,
          setItem: (key, value) => void items.set(key, value),
          removeItem: (key) => void items.delete(key),
        },
      })
      const to = kind === 'signup' ? 'nova@exemplo.com.br' : email
      const { error: refused } =
        kind === 'recovery'
          ? await client.resetPasswordForEmail(to, { redirectTo: CALLBACK })
          : await client.signInWithOtp({ email: to, options: { emailRedirectTo: CALLBACK } })
      expect(refused).toBeNull()
      const { link } = await mailbox.take(to)
      const answer = await follow(link)
      expect(answer.status).toBe(303)
      expect(answer.headers['cache-control']).toBe('no-store')
      const target = targetOf(answer)
      expect([...target.searchParams.keys()]).toEqual(['code'])
      expect(target.hash).toBe('')
      const { data, error } = await client.exchangeCodeForSession(target.searchParams.get('code') ?? '')
      expect(error).toBeNull()
      expect(data.user?.email).toBe(to)
      expect((await client.getUser()).data.user?.email).toBe(to)
      expect(targetOf(await follow(link)).searchParams.get('error_code')).toBe('otp_expired')
    },
  )

  test('a resent link leads to the listed address too', async () => {
    const to = 'outra@exemplo.com.br'
    await ask('otp', { email: to })
    expect((await mailbox.take(to)).link).not.toContain('pkce_')
    await site.forgetLimits()
    expect((await ask('resend', { type: 'signup', email: to, ...PKCE })).text).toBe('{}')
    const { status, body } = await exchange(await codeOf((await mailbox.take(to)).link))
    expect([status, body.user?.email]).toEqual([200, to])
  })

  test('a code works once, for its own verifier, and is deleted by the first attempt', async () => {
    const link = await recoveryLink()
    const wrong = await codeOf(link)
    expect(await exchange(wrong, 'w'.repeat(56))).toMatchObject({
      status: 400,
      body: { code: 'bad_code_verifier' },
    })
    expect(await exchange(wrong)).toMatchObject({ status: 404, body: { code: 'flow_state_not_found' } })
    // The challenge itself, which a server may have logged, is no verifier.
    expect((await exchange(await codeOf(link), CHALLENGE)).status).toBe(400)
    const answers = await Promise.all(Array.from({ length: 8 }, async () => exchange(await codeOf(link))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
  })

  test('accepts one of eight parallel uses of a code', async () => {
    const code = await codeOf(await recoveryLink())
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(code)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
  })

  test('a mail scanner uses nothing up, and at most ten codes exist', async () => {
    const link = await recoveryLink()
    for (let n = 0; n < 12; n++) await follow(link)
    const code = await codeOf(link)
    const stored = await site.database.db.selectFrom('auth_link_codes').selectAll().execute()
    expect(stored).toHaveLength(10)
    expect(JSON.stringify(stored)).not.toContain(code)
    expect((await exchange(code)).status).toBe(200)
  })

  test('refuses a code after five minutes, a newer email, a ban, or without its token', async () => {
    const { db } = site.database
    const late = await codeOf(await recoveryLink())
    await db
      .updateTable('auth_link_codes')
      .set({ expires_at: new Date(Date.now() - 1).toISOString() })
      .execute()
    expect((await exchange(late)).status).toBe(404)
    await site.forgetLimits()
    const before = await codeOf(await recoveryLink())
    await site.forgetLimits()
    const link = await recoveryLink()
    expect((await exchange(before)).status).toBe(404)
    const code = await codeOf(link)
    await db
      .updateTable('auth_users')
      .set({ banned_until: new Date(Date.now() + 60_000).toISOString() })
      .execute()
    expect(await exchange(code)).toMatchObject({ status: 403, body: { code: 'user_banned' } })
    await db.updateTable('auth_users').set({ banned_until: null }).execute()
    const last = await codeOf(link)
    await db.deleteFrom('auth_one_time_tokens').execute()
    expect((await exchange(last)).status).toBe(404)
    expect(await db.selectFrom('auth_link_codes').selectAll().execute()).toEqual([])
  })

  test('the code goes to the stored address, whatever the link says', async () => {
    const link = await recoveryLink()
    const bare = new URL(link)
    for (const to of ['https://evil.example/auth/callback', `${site.config.siteUrl}/admin`, '']) {
      bare.searchParams.set('redirect_to', to)
      expect(await codeOf(bare.href)).toMatch(/^[\w-]{43}$/)
    }
    const unknown = new URL(link)
    unknown.searchParams.set('token', `pkce_${'x'.repeat(43)}`)
    expect(targetOf(await follow(unknown.href)).href).toContain(
      `${CALLBACK}?error=access_denied&error_code=otp_expired`,
    )
    unknown.searchParams.set('redirect_to', 'https://evil.example/')
    expect(targetOf(await follow(unknown.href)).origin).toBe(site.config.siteUrl)
    bare.searchParams.set('type', 'magiclink')
    expect(targetOf(await follow(bare.href)).searchParams.has('code')).toBe(false)
  })

  test.each([
    ['an address that begins like it', PKCE, `${CALLBACK}.evil.example`],
    ['the public page', PKCE, 'self'],
    ['no challenge', {}, CALLBACK],
  ])('%s: the link leads to the dashboard', async (_what, body, to) => {
    const link = await recoveryLink(body, to === 'self' ? `${site.config.siteUrl}/` : to)
    expect(link).not.toContain('evil')
    const target = targetOf(await follow(link, '&redirect_to=https%3A%2F%2Fevil.example'))
    expect(target.origin + target.pathname + target.search).toBe(`${site.config.siteUrl}/admin`)
    expect(target.hash).toMatch(/^#token_hash=[\w-]{43}&type=recovery$/)
  })

  test('refuses an incomplete challenge, for every address alike', async () => {
    const body = { code_challenge: CHALLENGE }
    for (const path of ['recover', 'otp', 'resend'])
      for (const to of [email, 'ninguem@exemplo.com.br'])
        expect(await ask(path, { email: to, type: 'signup', ...body })).toMatchObject({
          status: 400,
          body: { code: 'validation_failed' },
        })
  })

  test.each([
    [{}, 400, 'validation_failed'],
    [{ auth_code: 'x' }, 400, 'validation_failed'],
    [{ code_verifier: VERIFIER }, 400, 'validation_failed'],
    [{ auth_code: { a: 1 }, code_verifier: VERIFIER }, 400, 'bad_json'],
    [{ auth_code: 'x', code_verifier: VERIFIER }, 404, 'flow_state_not_found'],
  ])('the exchange of %j → %i %s', async (body, status, code) => {
    expect(await post('token?grant_type=pkce', body)).toMatchObject({ status, body: { code } })
  })
})
