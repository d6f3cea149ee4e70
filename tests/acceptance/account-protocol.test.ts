import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AuthClient } from '@supabase/auth-js'
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { Authenticator } from '../support/authenticator.ts'
import { TIER_ENGINES } from '../support/engines.ts'
import { Mailbox } from '../support/mailbox.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'
import { CallTable } from './call-table.ts'

const EMAIL = 'ana@exemplo.com.br'
const NEW_EMAIL = 'ana.nova@exemplo.com.br'
const FIRST = 'girassol-tamborim-91'
const SECOND = 'varanda-azulejo-27'
const THIRD = 'jangada-cobalto-64'

/** Open sign-up and a signing key from a file. The rows build on each other. */
describe.each(TIER_ENGINES)('the auth protocol, call by call, on %s', (engine) => {
  const table = new CallTable(`@supabase/auth-js against the auth service (${engine})`)
  const directory = mkdtempSync(join(tmpdir(), 'portico-key-'))
  let site: TestApp
  let keys: AuthKeys
  let mailbox: Mailbox
  let auth: ReturnType<typeof client>
  let app: Authenticator
  let factorId: string

  const client = (key = keys.anon) =>
    new AuthClient({
      url: `${site.url}/auth/v1`,
      headers: { apikey: key, ...(key === keys.anon ? {} : { authorization: `Bearer ${key}` }) },
      persistSession: false,
      autoRefreshToken: false,
    })
  /** As if a minute had passed since the last email. */
  const later = () => site.forgetLimits()
  const claims = async () => decodeJwt((await auth.getSession()).data.session?.access_token ?? '')

  beforeAll(async () => {
    mailbox = await Mailbox.open()
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const file = join(directory, 'key.jwk')
    writeFileSync(file, JSON.stringify({ ...(await exportJWK(privateKey)), alg: 'RS256' }))
    site = await startTestApp({
      engine,
      listen: true,
      env: { AUTH_SIGNUP: 'open', AUTH_SIGNING_KEY_FILE: file, SMTP_URL: mailbox.url },
    })
    keys = await readKeys(site)
    auth = client()
  })
  afterAll(async () => {
    table.print()
    await site.close()
    await mailbox.close()
    rmSync(directory, { recursive: true })
  })

  table.row('signUp', 'a session at once (auto-confirmed)', async () => {
    const { data, error } = await auth.signUp({
      email: EMAIL,
      password: FIRST,
      options: { data: { name: 'Ana' } },
    })
    expect(error).toBeNull()
    expect(data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
    // The mailbox is not proved yet: confirmed only means that the password is enough to sign in.
    expect(data.user).toMatchObject({
      email: EMAIL,
      email_confirmed_at: expect.any(String),
      user_metadata: { name: 'Ana', email_verified: false },
      identities: [{ identity_data: { email_verified: false } }],
    })
    const [, claims = ''] = data.session?.access_token.split('.') ?? []
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      user_metadata: { email_verified: false },
    })
  })
  table.row('signUp, again', '422 user_already_exists', async () => {
    const { error } = await client().signUp({ email: EMAIL, password: FIRST })
    expect(error).toMatchObject({ status: 422, code: 'user_already_exists' })
  })
  table.row('signInWithPassword', 'session, aal1, amr password', async () => {
    const { data, error } = await auth.signInWithPassword({ email: EMAIL, password: FIRST })
    expect(error).toBeNull()
    expect(decodeJwt(data.session?.access_token ?? '')).toMatchObject({
      aal: 'aal1',
      amr: [{ method: 'password' }],
    })
  })
  table.row('signInWithPassword, wrong', '400 invalid_credentials', async () => {
    const { error } = await client().signInWithPassword({ email: EMAIL, password: 'errada-demais-1' })
    expect(error).toMatchObject({ status: 400, code: 'invalid_credentials' })
  })
  table.row('getClaims', 'verified locally with the key set, RS256 from the file', async () => {
    const { data, error } = await auth.getClaims()
    expect(error).toBeNull()
    expect(data?.header.alg).toBe('RS256')
    expect(data?.claims).toMatchObject({ email: EMAIL, role: 'authenticated', aud: 'authenticated' })
  })
  table.row('GET /.well-known/jwks.json', 'the public key alone, cacheable for 600 s', async () => {
    const response = await fetch(`${site.url}/auth/v1/.well-known/jwks.json`)
    const { keys: set } = (await response.json()) as { keys: Record<string, unknown>[] }
    expect(response.headers.get('cache-control')).toBe('public, max-age=600')
    const { data } = await auth.getSession()
    const { kid } = decodeProtectedHeader(data.session?.access_token ?? '')
    expect(set).toEqual([expect.objectContaining({ kid, kty: 'RSA', alg: 'RS256', use: 'sig' })])
    expect(JSON.stringify(set)).not.toMatch(/"(d|p|q|dp|dq|qi)":/)
  })
  table.row('refreshSession', 'the next refresh token, same session', async () => {
    const before = await auth.getSession()
    const { data, error } = await auth.refreshSession()
    expect(error).toBeNull()
    expect(data.session?.refresh_token).not.toBe(before.data.session?.refresh_token)
    expect(decodeJwt(data.session?.access_token ?? '').session_id).toBe(
      decodeJwt(before.data.session?.access_token ?? '').session_id,
    )
  })
  table.row('setSession', 'a session from its two tokens', async () => {
    const { data } = await auth.getSession()
    const other = client()
    const { error } = await other.setSession({
      access_token: data.session?.access_token ?? '',
      refresh_token: data.session?.refresh_token ?? '',
    })
    expect(error).toBeNull()
    expect((await other.getUser()).data.user?.email).toBe(EMAIL)
  })
  table.row('getUser', 'the user with its one identity', async () => {
    const { data } = await auth.getUser()
    expect(data.user?.identities).toEqual([expect.objectContaining({ provider: 'email', email: EMAIL })])
  })
  table.row('updateUser data', 'merged metadata', async () => {
    const { data } = await auth.updateUser({ data: { city: 'Recife' } })
    expect(data.user?.user_metadata).toMatchObject({ name: 'Ana', city: 'Recife' })
  })

  table.row('resetPasswordForEmail', '{} and a mail', async () => {
    const { data, error } = await client().resetPasswordForEmail(EMAIL)
    expect([data, error]).toEqual([{}, null])
    const mail = await mailbox.take(EMAIL)
    expect(mail.subject).toBe('Crie uma nova senha')
    const response = await fetch(mail.link, { redirect: 'manual' })
    const target = new URL(response.headers.get('location') ?? '')
    expect(response.status).toBe(303)
    const fragment = new URLSearchParams(target.hash.slice(1))
    expect(fragment.get('type')).toBe('recovery')
    const recovered = await auth.verifyOtp({
      token_hash: fragment.get('token_hash') ?? '',
      type: 'recovery',
    })
    expect(recovered.error).toBeNull()
    expect(decodeJwt(recovered.data.session?.access_token ?? '').amr).toMatchObject([{ method: 'recovery' }])
  })
  table.row('resetPasswordForEmail, unknown', '{} and no mail', async () => {
    const { data, error } = await client().resetPasswordForEmail('ninguem@exemplo.com.br')
    expect([data, error]).toEqual([{}, null])
  })
  table.row('resetPasswordForEmail, again', '{} and no mail: the limit tells nothing', async () => {
    const { data, error } = await client().resetPasswordForEmail(EMAIL)
    expect([data, error]).toEqual([{}, null])
  })
  table.row('verifyOtp recovery, six digits', 'session', async () => {
    await later()
    await client().resetPasswordForEmail(EMAIL)
    const { code } = await mailbox.take(EMAIL, 'Crie uma nova senha')
    const { data, error } = await auth.verifyOtp({ email: EMAIL, token: code, type: 'recovery' })
    expect(error).toBeNull()
    expect(data.session?.user.email).toBe(EMAIL)
    const again = await client().verifyOtp({ email: EMAIL, token: code, type: 'recovery' })
    expect(again.error).toMatchObject({ status: 403, code: 'otp_expired' })
  })
  table.row('updateUser password, after a recovery', 'user; the old one is gone', async () => {
    expect((await auth.updateUser({ password: SECOND })).error).toBeNull()
    expect((await client().signInWithPassword({ email: EMAIL, password: FIRST })).error).not.toBeNull()
    expect((await client().signInWithPassword({ email: EMAIL, password: SECOND })).error).toBeNull()
  })
  table.row('updateUser password, without the current one', '400 current_password_required', async () => {
    expect((await auth.signInWithPassword({ email: EMAIL, password: SECOND })).error).toBeNull()
    const { error } = await auth.updateUser({ password: THIRD })
    expect(error).toMatchObject({ status: 400, code: 'current_password_required' })
  })
  table.row('reauthenticate', '{} and a mailed nonce', async () => {
    const { error } = await auth.reauthenticate()
    expect(error).toBeNull()
    const again = await auth.reauthenticate()
    expect(again.error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' })
    expect(again.error?.message).toMatch(
      /^For security purposes, you can only request this after \d+ seconds\.$/,
    )
    const { code, link } = await mailbox.take(EMAIL, 'Seu código de confirmação')
    expect(link).toBe('')
    expect((await auth.updateUser({ password: THIRD, nonce: '000000' })).error).toMatchObject({
      status: 422,
      code: 'reauthentication_not_valid',
    })
    expect((await auth.updateUser({ password: THIRD, nonce: code })).error).toBeNull()
  })

  table.row('signInWithOtp', '{} and a mail; verifyOtp email → session', async () => {
    await later()
    const { error } = await client().signInWithOtp({ email: EMAIL })
    expect(error).toBeNull()
    const { code } = await mailbox.take(EMAIL, 'Seu link para entrar')
    const { data, error: refused } = await auth.verifyOtp({ email: EMAIL, token: code, type: 'email' })
    expect(refused).toBeNull()
    expect((await claims()).amr).toMatchObject([{ method: 'otp' }])
    expect(data.user?.email).toBe(EMAIL)
  })
  table.row('signInWithOtp, new address', 'a new user, confirmed by the code', async () => {
    const email = 'nova@exemplo.com.br'
    const other = client()
    expect((await other.signInWithOtp({ email, options: { data: { from: 'otp' } } })).error).toBeNull()
    const { code, subject } = await mailbox.take(email)
    expect(subject).toBe('Confirme seu e-mail')
    const { data } = await other.verifyOtp({ email, token: code, type: 'email' })
    expect(data.user).toMatchObject({ email, user_metadata: { from: 'otp', email_verified: true } })
  })
  table.row('signInWithOtp, new address, shouldCreateUser false', '{} and no mail', async () => {
    const options = { shouldCreateUser: false }
    const { error } = await client().signInWithOtp({ email: 'ninguem@exemplo.com.br', options })
    expect(error).toBeNull()
  })
  table.row('signInWithOtp, phone', '400 phone_provider_disabled', async () => {
    const { error } = await client().signInWithOtp({ phone: '+5511999999999' })
    expect(error).toMatchObject({ status: 400, code: 'phone_provider_disabled' })
  })
  table.row('verifyOtp, phone', '403 otp_expired: no code goes to a phone', async () => {
    const { error } = await client().verifyOtp({ phone: '+5511999999999', token: '123456', type: 'sms' })
    expect(error).toMatchObject({ status: 403, code: 'otp_expired' })
  })
  table.row('verifyOtp, wrong', '403 otp_expired', async () => {
    const { error } = await client().verifyOtp({ email: EMAIL, token: '000000', type: 'email' })
    expect(error).toMatchObject({
      status: 403,
      code: 'otp_expired',
      message: 'Token has expired or is invalid',
    })
    const link = await client().verifyOtp({ token_hash: 'x'.repeat(43), type: 'magiclink' })
    expect(link.error).toMatchObject({ status: 403, message: 'Email link is invalid or has expired' })
  })

  table.row('updateUser email', 'pending in new_email; both mailboxes are asked', async () => {
    await later()
    const { data, error } = await auth.updateUser({ email: NEW_EMAIL })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email: EMAIL, new_email: NEW_EMAIL })
    await mailbox.take(EMAIL, 'Confirme a alteração do seu e-mail')
    await mailbox.take(NEW_EMAIL)
  })
  table.row('resend email_change', '{} and both mails again', async () => {
    await later()
    expect((await auth.resend({ type: 'email_change', email: EMAIL })).error).toBeNull()
    const [current, next] = [
      await mailbox.take(EMAIL, 'Confirme a alteração do seu e-mail'),
      await mailbox.take(NEW_EMAIL),
    ]
    const half = await client().verifyOtp({ email: EMAIL, token: current.code, type: 'email_change' })
    expect(half.error).toBeNull()
    expect(half.data.session).toBeNull()
    const whole = await auth.verifyOtp({ email: NEW_EMAIL, token: next.code, type: 'email_change' })
    expect(whole.error).toBeNull()
    expect(whole.data.user).toMatchObject({ email: NEW_EMAIL })
    expect(whole.data.user?.new_email).toBeUndefined()
  })
  table.row('resend signup, nothing to do', '{}', async () => {
    const { error } = await client().resend({ type: 'signup', email: NEW_EMAIL })
    expect(error).toBeNull()
  })

  table.row('mfa.enroll totp', 'id, secret, uri and an SVG', async () => {
    const { data, error } = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Celular' })
    expect(error).toBeNull()
    if (data?.type !== 'totp') throw new Error('no TOTP factor')
    expect(data.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg [^#%]*<\/svg>$/)
    expect(new URL(data.totp.uri).searchParams.get('secret')).toBe(data.totp.secret)
    factorId = data.id
    app = new Authenticator(data.totp.secret)
  })
  table.row('mfa.enroll, same name', '422 mfa_factor_name_conflict', async () => {
    const { error } = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Celular' })
    expect(error).toMatchObject({ status: 422, code: 'mfa_factor_name_conflict' })
  })
  table.row('mfa.enroll phone', '422 mfa_phone_enroll_not_enabled', async () => {
    const { error } = await auth.mfa.enroll({ factorType: 'phone', phone: '+5511999999999' })
    expect(error).toMatchObject({ status: 422, code: 'mfa_phone_enroll_not_enabled' })
  })
  table.row('mfa.challenge', 'id and an end in 300 s', async () => {
    const { data, error } = await auth.mfa.challenge({ factorId })
    expect(error).toBeNull()
    expect((data?.expires_at ?? 0) - Date.now() / 1000).toBeGreaterThan(290)
    const wrong = await auth.mfa.verify({ factorId, challengeId: data?.id ?? '', code: '000000' })
    expect(wrong.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' })
  })
  table.row('mfa.verify', 'the same session at aal2, with a new refresh token', async () => {
    const before = await claims()
    const { error } = await auth.mfa.challengeAndVerify({ factorId, code: await app.next() })
    expect(error).toBeNull()
    expect(await claims()).toMatchObject({
      aal: 'aal2',
      session_id: before.session_id,
      amr: [{ method: 'totp' }, { method: 'otp' }],
    })
    expect((await auth.refreshSession()).error).toBeNull()
    expect((await claims()).aal).toBe('aal2')
  })
  table.row('mfa.listFactors', 'one verified factor', async () => {
    const { data } = await auth.mfa.listFactors()
    expect(data?.totp).toEqual([expect.objectContaining({ id: factorId, status: 'verified' })])
  })
  table.row('mfa.getAuthenticatorAssuranceLevel, next sign-in', 'aal1, next aal2', async () => {
    const other = client()
    await other.signInWithPassword({ email: NEW_EMAIL, password: THIRD })
    const { data } = await other.mfa.getAuthenticatorAssuranceLevel()
    expect(data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
    expect((await other.updateUser({ password: FIRST })).error).toMatchObject({
      status: 401,
      code: 'insufficient_aal',
    })
    expect((await other.mfa.unenroll({ factorId })).error).toMatchObject({
      status: 422,
      code: 'insufficient_aal',
    })
    expect((await other.mfa.enroll({ factorType: 'totp' })).error).toMatchObject({
      status: 403,
      code: 'insufficient_aal',
    })
  })
  table.row('mfa.unenroll', '{id}; aal1 after a refresh', async () => {
    const { data, error } = await auth.mfa.unenroll({ factorId })
    expect([data, error]).toEqual([{ id: factorId }, null])
    await auth.refreshSession()
    expect((await claims()).aal).toBe('aal1')
  })

  table.row('admin.createUser, getUserById, listUsers', 'with the service key', async () => {
    const { admin } = client(keys.service)
    const { data } = await admin.createUser({
      email: 'bia@exemplo.com.br',
      password: FIRST,
      email_confirm: true,
    })
    const id = data.user?.id ?? ''
    expect((await admin.getUserById(id)).data.user?.email).toBe('bia@exemplo.com.br')
    expect((await admin.listUsers()).data.users.map((user) => user.id)).toContain(id)
    expect(
      (await admin.updateUserById(id, { user_metadata: { a: 1 } })).data.user?.user_metadata,
    ).toMatchObject({
      a: 1,
    })
    expect((await admin.mfa.listFactors({ userId: id })).data?.factors).toEqual([])
    expect((await admin.deleteUser(id)).error).toBeNull()
    expect((await admin.getUserById(id)).error).toMatchObject({ status: 404, code: 'user_not_found' })
  })
  table.row('admin.inviteUserByEmail', 'an account without a password, and a mail', async () => {
    await later()
    const email = 'convidada@exemplo.com.br'
    const { data, error } = await client(keys.service).admin.inviteUserByEmail(email)
    expect(error).toBeNull()
    expect(data.user?.invited_at).toBeTypeOf('string')
    const { link } = await mailbox.take(email)
    const token_hash = new URL(link).searchParams.get('token') ?? ''
    const accepted = await client().verifyOtp({ token_hash, type: 'invite' })
    expect(accepted.data.user).toMatchObject({ email, user_metadata: { email_verified: true } })
    expect((await client().admin.inviteUserByEmail('x@exemplo.com.br')).error?.status).toBe(401)
  })
  table.row('admin.generateLink', 'the token, returned instead of mailed', async () => {
    const { admin } = client(keys.service)
    const email = 'link@exemplo.com.br'
    const { data, error } = await admin.generateLink({ type: 'signup', email, password: FIRST })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, user_metadata: {} })
    expect(data.properties?.action_link).toMatch(/\?token=.*&type=signup&redirect_to=/)
    const token_hash = data.properties?.hashed_token ?? ''
    expect((await client().verifyOtp({ token_hash, type: 'signup' })).error).toBeNull()
    const change = await admin.generateLink({
      type: 'email_change_current',
      email,
      newEmail: 'l2@exemplo.com.br',
    })
    expect(change.data.user).toMatchObject({ email, new_email: 'l2@exemplo.com.br' })
    const missing = await admin.generateLink({ type: 'recovery', email: 'ninguem@exemplo.com.br' })
    expect(missing.error).toMatchObject({ status: 404, code: 'user_not_found' })
    const anyone = await client().admin.generateLink({ type: 'recovery', email })
    expect(anyone.error).toMatchObject({ status: 401 })
  })
  table.row('admin.listUsers, public key', '401 no_authorization', async () => {
    const { error } = await client().admin.listUsers()
    expect(error).toMatchObject({ status: 401, code: 'no_authorization' })
  })
  table.row('signOut', '204; the token is worth nothing', async () => {
    const { data } = await auth.getSession()
    expect((await auth.signOut()).error).toBeNull()
    expect((await auth.getUser(data.session?.access_token)).error?.name).toBe('AuthSessionMissingError')
  })
})
