import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AuthClient } from '@supabase/auth-js'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TIER_ENGINES } from '../support/engines.ts'
import { Mailbox } from '../support/mailbox.ts'
import { parseMail } from '../support/parse-mail.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { AS_NAVIGATION, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const { email } = PRINCIPAL
const NEW_PASSWORD = 'varanda-azulejo-27'

function makeClient(site: TestApp, keys: AuthKeys) {
  return new AuthClient({
    url: `${site.url}/auth/v1`,
    headers: { apikey: keys.anon },
    persistSession: false,
    autoRefreshToken: false,
  })
}

describe.each(TIER_ENGINES)('recovery by mail, with sign-up closed, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let mailbox: Mailbox
  beforeAll(async () => {
    mailbox = await Mailbox.open()
    site = await startTestApp({
      engine,
      listen: true,
      env: {
        SMTP_URL: mailbox.url,
        BRAND_NAME: 'Ponte & <Cia>',
        MAIL_FROM: 'Ponte <nao-responda@ponte.example>',
      },
    })
    keys = await readKeys(site)
  })
  afterAll(async () => {
    await site.close()
    await mailbox.close()
  })
  afterEach(() => site.forgetLimits())

  const client = () => makeClient(site, keys)
  const recoveryMail = async () => {
    expect((await client().resetPasswordForEmail(email)).error).toBeNull()
    return mailbox.take(email, 'Crie uma nova senha')
  }
  const post = (path: string, body: unknown, headers = {}) =>
    call(site, { method: 'POST', path: `/auth/v1${path}`, apikey: keys.anon, body, headers })

  test('the email is in Portuguese, with the brand, escaped', async () => {
    const mail = await recoveryMail()
    expect(mail.subject).toBe('Crie uma nova senha')
    expect(mail.text).toContain('painel Ponte & <Cia>')
    expect(mail.html).toContain('painel Ponte &#38; &#60;Cia&#62;')
    expect(mail.html).not.toContain('<Cia>')
    expect(mail.headers).toMatch(/^From: Ponte <nao-responda@ponte\.example>$/m)
    expect(mail.headers).toMatch(/^Auto-Submitted: auto-generated$/m)
    expect(mail.html).toContain(mail.link.replaceAll('&', '&#38;'))
    expect(mail.code).toMatch(/^\d{6}$/)
    const stored = JSON.stringify(
      await site.database.db.selectFrom('auth_one_time_tokens').selectAll().execute(),
    )
    expect(stored).not.toContain(mail.code)
    expect(stored).not.toContain(new URL(mail.link).searchParams.get('token'))
  })

  test('gives the same response to the byte, for known and unknown addresses, once or repeatedly', async () => {
    for (const path of ['/recover', '/otp', '/resend']) {
      const answers = []
      for (const address of [email, 'ninguem@exemplo.com.br', email, 'ninguem@exemplo.com.br'])
        answers.push(await post(path, { type: 'signup', email: address }))
      const seen = answers.map(({ status, text, headers: { date: _date, ...headers } }) => ({
        status,
        text,
        headers: { ...headers, 'x-request-id': null },
      }))
      expect(seen).toEqual(Array(4).fill(seen[0]))
      expect(seen[0]).toMatchObject({ status: 200, text: '{}' })
    }
    await mailbox.take(email)
    await mailbox.take(email)
    const users = await site.database.db.selectFrom('auth_users').select('email').execute()
    expect(users).toEqual([{ email }])
  })

  test('the link only redirects to the dashboard, with the token in the fragment', async () => {
    const { link } = await recoveryMail()
    const { pathname, search } = new URL(link)
    for (const redirect of [
      '',
      '&redirect_to=https%3A%2F%2Fevil.example%2Fadmin',
      `&redirect_to=${encodeURIComponent(`${site.config.siteUrl}/`)}`,
    ]) {
      const answer = await call(site, { path: pathname + search + redirect, headers: AS_NAVIGATION })
      expect(answer.status).toBe(303)
      const target = new URL(String(answer.headers.location))
      expect(target.origin + target.pathname + target.search).toBe(`${site.config.siteUrl}/admin`)
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    const wanted = encodeURIComponent(`${site.config.siteUrl}/admin/usuarios`)
    const answer = await call(site, { path: `${pathname}${search}&redirect_to=${wanted}` })
    expect(answer.headers.location).toMatch(/\/admin\/usuarios#token_hash=[\w-]{43}&type=recovery$/)
    const broken = await call(site, { path: '/auth/v1/verify?token=x&type=recovery', headers: AS_NAVIGATION })
    expect(broken.headers.location).toContain('#error=access_denied&error_code=otp_expired')
    // Followed several times, it is still valid: nothing was verified.
    const token_hash = new URL(link).searchParams.get('token') ?? ''
    expect((await client().verifyOtp({ token_hash, type: 'recovery' })).error).toBeNull()
    expect((await client().verifyOtp({ token_hash, type: 'recovery' })).error?.code).toBe('otp_expired')
  })

  test('accepts one of twenty parallel uses of a link', async () => {
    const { link } = await recoveryMail()
    const token_hash = new URL(link).searchParams.get('token') ?? ''
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post('/verify', { token_hash, type: 'recovery' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(403)])
  })

  test('a token lasts an hour, for its own purpose, and only the newest is valid', async () => {
    const first = await recoveryMail()
    await site.forgetLimits()
    const second = await recoveryMail()
    const hash = ({ link }: { link: string }) => new URL(link).searchParams.get('token') ?? ''
    const old = await client().verifyOtp({ token_hash: hash(first), type: 'recovery' })
    expect(old.error?.code).toBe('otp_expired')
    for (const type of ['magiclink', 'signup', 'email', 'email_change', 'invite'] as const)
      expect((await client().verifyOtp({ token_hash: hash(second), type })).error?.code).toBe('otp_expired')
    await site.database.db
      .updateTable('auth_one_time_tokens')
      .set({ expires_at: new Date(Date.now() - 1).toISOString() })
      .execute()
    const late = await client().verifyOtp({ token_hash: hash(second), type: 'recovery' })
    expect(late.error?.code).toBe('otp_expired')
  })

  test('five wrong guesses invalidate the six digits, but not the link', async () => {
    const { code, link } = await recoveryMail()
    const wrong = code === '111111' ? '222222' : '111111'
    const guess = (token: string) => client().verifyOtp({ email, token, type: 'recovery' })
    for (let n = 0; n < 5; n++) expect((await guess(wrong)).error?.code).toBe('otp_expired')
    expect((await guess(code)).error?.code).toBe('otp_expired')
    const token_hash = new URL(link).searchParams.get('token') ?? ''
    expect((await client().verifyOtp({ token_hash, type: 'recovery' })).error).toBeNull()
  })

  test.each([
    [{}, 'validation_failed', 400],
    [{ type: 'recovery' }, 'validation_failed', 400],
    [{ type: 'recovery', token: '123456' }, 'validation_failed', 400],
    [{ type: 'recovery', token_hash: 'x', email: 'a@b.co' }, 'validation_failed', 400],
    [{ type: 'outro', token_hash: 'x' }, 'validation_failed', 400],
    [{ type: 'sms', token: '123456', phone: '+5511999999999' }, 'otp_expired', 403],
    [{ type: 'sms', token: '123456', phone: '11-9999' }, 'validation_failed', 400],
    [{ type: 'recovery', token: '123456', email: 'ninguem@exemplo.com.br' }, 'otp_expired', 403],
  ])('POST /verify %j → %s', async (body, code, status) => {
    expect(await post('/verify', body)).toMatchObject({ status, body: { code } })
  })

  test('refuses guesses after thirty calls from one address', async () => {
    const guess = () => post('/verify', { type: 'recovery', token: '123456', email: 'x@exemplo.com.br' })
    for (let n = 0; n < 30; n++) expect((await guess()).status).toBe(403)
    expect(await guess()).toMatchObject({ status: 429, body: { code: 'over_request_rate_limit' } })
  })

  test('a new password invalidates emails that were sent before', async () => {
    const { link } = await recoveryMail()
    const auth = client()
    await auth.signInWithPassword(PRINCIPAL)
    expect(
      (await auth.updateUser({ password: NEW_PASSWORD, current_password: PRINCIPAL.password })).error,
    ).toBeNull()
    const token_hash = new URL(link).searchParams.get('token') ?? ''
    expect((await client().verifyOtp({ token_hash, type: 'recovery' })).error?.code).toBe('otp_expired')
    const back = { password: PRINCIPAL.password, current_password: NEW_PASSWORD }
    expect((await auth.updateUser(back)).error).toBeNull()
  })

  test('sends a banned person no email, and refuses their earlier links', async () => {
    const { link } = await recoveryMail()
    const ban = (banned_until: string | null) =>
      site.database.db.updateTable('auth_users').set({ banned_until }).execute()
    await ban(new Date(Date.now() + 60_000).toISOString())
    const token_hash = new URL(link).searchParams.get('token') ?? ''
    const { error } = await client().verifyOtp({ token_hash, type: 'recovery' })
    expect(error).toMatchObject({ status: 403, code: 'user_banned' })
    await ban(null)
  })
})

describe('where emails go', () => {
  test('sends what was requested before the server stops, and nothing to strangers', async () => {
    const mailbox = await Mailbox.open()
    const site = await startTestApp({ listen: true, env: { SMTP_URL: mailbox.url } })
    const client = makeClient(site, await readKeys(site))
    await client.resetPasswordForEmail('ninguem@exemplo.com.br')
    await client.signInWithOtp({ email: 'outro@exemplo.com.br' })
    await client.resetPasswordForEmail(email)
    await site.app.close()
    expect(mailbox.received.map(({ to }) => to)).toEqual([[email]])
    await site.close()
    await mailbox.close()
  })

  test('retries a mail server that says "later"', async () => {
    let refusals = 0
    const mailbox = await Mailbox.open(() => refusals++ === 0)
    const site = await startTestApp({ listen: true, env: { SMTP_URL: mailbox.url } })
    await makeClient(site, await readKeys(site)).resetPasswordForEmail(email)
    expect((await mailbox.take(email)).subject).toBe('Crie uma nova senha')
    expect(refusals).toBe(2)
    await site.close()
    await mailbox.close()
  })

  test('writes a file that only its owner can read without a mail server', async () => {
    const site = await startTestApp({ listen: true })
    await makeClient(site, await readKeys(site)).resetPasswordForEmail(email)
    const outbox = join(site.config.dataDir, 'outbox')
    await expect.poll(() => listFiles(outbox), { timeout: 30_000 }).toHaveLength(1)
    const [name = ''] = listFiles(outbox)
    expect(name).toMatch(/^\d{4}-.*-recovery-[\w-]+\.eml$/)
    expect(statSync(join(outbox, name)).mode & 0o777).toBe(0o600)
    const mail = parseMail(readFileSync(join(outbox, name), 'utf8'), [email])
    expect(mail.link).toContain('/auth/v1/verify?token=')
    await site.close()
  })
})

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.eml') && !name.startsWith('.'))
  } catch {
    return []
  }
}
