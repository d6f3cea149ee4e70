import { AuthClient } from '@supabase/auth-js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TIER_ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const PASSWORD = 'girassol-tamborim-91'
const OTHER = 'varanda-azulejo-27'

describe.each(TIER_ENGINES)("one's own account through the official client on %s", (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let auth: ReturnType<typeof client>
  let email: string
  let people = 0
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true, env: { AUTH_SIGNUP: 'open' } })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    email = `pessoa${people++}@exemplo.com.br`
    auth = client()
    const { data, error } = await auth.signUp({
      email,
      password: PASSWORD,
      options: { data: { name: 'Ana' } },
    })
    expect(error).toBeNull()
    expect(data.session).not.toBeNull()
    expect(data.user?.user_metadata).toMatchObject({ name: 'Ana', email_verified: false })
  })

  const client = () =>
    new AuthClient({
      url: `${site.url}/auth/v1`,
      headers: { apikey: keys.anon },
      persistSession: false,
      autoRefreshToken: false,
    })
  const another = async () => {
    const second = client()
    await second.signInWithPassword({ email, password: PASSWORD })
    return second
  }

  test('merges metadata, and null removes a key', async () => {
    await auth.updateUser({ data: { city: 'São Paulo', name: null, email_verified: true } })
    const { data } = await auth.getUser()
    // The owner cannot set whether the mailbox is proved.
    expect(data.user?.user_metadata).toEqual({ email_verified: false, city: 'São Paulo' })
  })

  test('a new password ends the other sessions and keeps this one', async () => {
    const second = await another()
    const { error } = await auth.updateUser({ password: OTHER, current_password: PASSWORD })
    expect(error).toBeNull()
    expect((await auth.getUser()).error).toBeNull()
    expect((await auth.refreshSession()).error).toBeNull()
    expect((await second.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect((await client().signInWithPassword({ email, password: PASSWORD })).error?.code).toBe(
      'invalid_credentials',
    )
    expect((await client().signInWithPassword({ email, password: OTHER })).error).toBeNull()
  })

  test('refuses a weak password with its reason', async () => {
    const { error } = await auth.updateUser({ password: 'senha123' })
    expect(error).toMatchObject({
      name: 'AuthWeakPasswordError',
      status: 422,
      code: 'weak_password',
      reasons: ['pwned'],
    })
  })

  test('refuses one’s own address as password', async () => {
    expect((await auth.updateUser({ password: email.split('@')[0] ?? '' })).error?.code).toBe('weak_password')
  })

  test('refuses the same password, and more than 128 characters', async () => {
    const same = { password: PASSWORD, current_password: PASSWORD }
    expect((await auth.updateUser(same)).error).toMatchObject({ status: 422, code: 'same_password' })
    const long = await auth.updateUser({ password: 'x1-'.repeat(43) })
    expect(long.error).toMatchObject({ status: 400, code: 'validation_failed' })
    const longest = { password: `${'k7-Qz'.repeat(25)}abc`, current_password: PASSWORD }
    expect((await auth.updateUser(longest)).error).toBeNull()
  })

  test('a new password requires the current one, however fresh the session is', async () => {
    expect((await auth.updateUser({ password: OTHER })).error).toMatchObject({
      status: 400,
      code: 'current_password_required',
    })
    const wrong = await auth.updateUser({ password: OTHER, current_password: 'not this one' })
    expect(wrong.error).toMatchObject({ status: 400, code: 'current_password_invalid' })
    expect((await auth.updateUser({ password: OTHER, current_password: PASSWORD })).error).toBeNull()
  })

  test('with a second factor, password and address can only be changed at aal2', async () => {
    const { data } = await auth.getUser()
    const at = new Date().toISOString()
    await site.database.db
      .insertInto('auth_factors')
      .values({
        id: crypto.randomUUID(),
        user_id: data.user?.id ?? '',
        friendly_name: '',
        factor_type: 'totp',
        status: 'verified',
        secret: 'x',
        created_at: at,
        updated_at: at,
      })
      .execute()
    for (const change of [{ password: OTHER }, { email: 'nova@exemplo.com.br' }])
      expect((await auth.updateUser(change)).error).toMatchObject({ status: 401, code: 'insufficient_aal' })
    expect((await auth.updateUser({ data: { a: 1 } })).error).toBeNull()
  })

  test('a new address waits for its confirmation; a taken one is refused', async () => {
    const { data, error } = await auth.updateUser({ email: `nova-${email}` })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, new_email: `nova-${email}` })
    expect((await auth.updateUser({ email: PRINCIPAL.email })).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    })
    expect((await auth.updateUser({ email: 'x' })).error).toMatchObject({
      status: 400,
      code: 'validation_failed',
    })
  })

  test('the principal’s address cannot change', async () => {
    const principal = client()
    await principal.signInWithPassword(PRINCIPAL)
    expect((await principal.updateUser({ email: 'x@exemplo.com.br' })).error?.code).toBe(
      'principal_admin_protected',
    )
  })
})
