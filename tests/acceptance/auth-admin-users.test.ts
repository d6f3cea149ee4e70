import { AuthClient, GoTrueAdminApi } from '@supabase/auth-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TIER_ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const PASSWORD = 'girassol-tamborim-91'

describe.each(TIER_ENGINES)('users with a service key, through the official client on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let admin: GoTrueAdminApi
  let people = 0
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true })
    keys = await readKeys(site)
    const headers = { apikey: keys.service, authorization: `Bearer ${keys.service}` }
    admin = new GoTrueAdminApi({ url: `${site.url}/auth/v1`, headers })
  })
  afterAll(() => site.close())

  const client = () =>
    new AuthClient({
      url: `${site.url}/auth/v1`,
      headers: { apikey: keys.anon },
      persistSession: false,
      autoRefreshToken: false,
    })
  const newEmail = () => `pessoa${people++}@exemplo.com.br`
  async function create(attributes: Parameters<GoTrueAdminApi['createUser']>[0] = {}) {
    const { data, error } = await admin.createUser({
      email: newEmail(),
      password: PASSWORD,
      email_confirm: true,
      ...attributes,
    })
    if (error !== null) throw error
    return data.user
  }
  async function signedIn(email: string | undefined) {
    const auth = client()
    const { error } = await auth.signInWithPassword({ email: email ?? '', password: PASSWORD })
    if (error !== null) throw error
    return auth
  }

  test('creates with every field of the protocol', async () => {
    const id = crypto.randomUUID()
    const user = await create({
      id,
      user_metadata: { name: 'Ana' },
      app_metadata: { team: 'marketing' },
      role: 'editor',
    })
    expect(user).toMatchObject({
      id,
      role: 'editor',
      user_metadata: { name: 'Ana', email_verified: true },
      app_metadata: { provider: 'email', providers: ['email'], team: 'marketing' },
      email_confirmed_at: expect.any(String),
      confirmed_at: expect.any(String),
      identities: [{ provider: 'email', user_id: id, identity_data: { sub: id, email_verified: true } }],
    })
    expect((await admin.getUserById(id)).data.user).toEqual(user)
  })

  test('an unconfirmed user keeps its metadata and cannot sign in yet', async () => {
    const user = await create({ email_confirm: false, user_metadata: { name: 'Rui' } })
    expect(user.user_metadata).toEqual({ name: 'Rui' })
    const { error } = await client().signInWithPassword({ email: user.email ?? '', password: PASSWORD })
    expect(error).toMatchObject({ status: 400, code: 'email_not_confirmed', message: 'Email not confirmed' })
    const { data } = await admin.updateUserById(user.id, { email_confirm: true })
    expect(data.user).toMatchObject({ user_metadata: { name: 'Rui', email_verified: true } })
    await signedIn(user.email)
  })

  test('accepts a foreign hash with an ordinary cost', async () => {
    const known = await create()
    const { password_hash } = await site.database.db
      .selectFrom('auth_users')
      .select('password_hash')
      .where('id', '=', known.id)
      .executeTakeFirstOrThrow()
    const email = newEmail()
    const made = await admin.createUser({ email, password_hash: password_hash ?? '', email_confirm: true })
    expect(made.error).toBeNull()
    await signedIn(email)
    for (const bad of [
      'plain',
      '$2b$10$abcdefghijklmnopqrstuu5fXbJ7Zs',
      '$argon2id$v=19$m=9999999,t=2,p=1$c2FsdHNhbHQ$aGFzaA',
    ]) {
      const { error } = await admin.createUser({ email: newEmail(), password_hash: bad })
      expect(error?.code).toBe('validation_failed')
    }
  })

  test.each<[string, object, number, string]>([
    ['no address', { password: PASSWORD }, 400, 'validation_failed'],
    ['a bad address', { email: 'a', password: PASSWORD }, 400, 'validation_failed'],
    ['a phone', { phone: '+5511999999999' }, 400, 'phone_provider_disabled'],
    ['a short password', { email: 'x@exemplo.com.br', password: '123' }, 422, 'weak_password'],
    ['a bad ban', { email: 'x@exemplo.com.br', ban_duration: 'soon' }, 400, 'validation_failed'],
    ['a bad id', { email: 'x@exemplo.com.br', id: '7' }, 400, 'validation_failed'],
    ['a taken address', { email: PRINCIPAL.email.toUpperCase() }, 422, 'email_exists'],
  ])('refuses %s', async (_what, attributes, status, code) => {
    const { error } = await admin.createUser(attributes)
    expect(error).toMatchObject({ status, code })
  })

  test('pages through the list, newest first, with links that the client reads', async () => {
    for (let n = 0; n < 5; n++) await create()
    const page = await admin.listUsers({ page: 1, perPage: 2 })
    if (page.error !== null) throw page.error
    expect(page.data.users).toHaveLength(2)
    expect(page.data.nextPage).toBe(2)
    expect(page.data.total).toBeGreaterThan(5)
    expect(page.data.lastPage).toBe(Math.ceil(page.data.total / 2))
    const [first, second] = page.data.users
    expect(Date.parse(first?.created_at ?? '')).toBeGreaterThanOrEqual(Date.parse(second?.created_at ?? ''))
    const all = await admin.listUsers()
    expect(all.data.users).toHaveLength(page.data.total)
    for (const query of ['page=0', 'page=x', 'per_page=-1', 'per_page=100000', 'page=99999999999999999999']) {
      const answer = await call(site, {
        path: `/auth/v1/admin/users?${query}`,
        apikey: keys.service,
        bearer: keys.service,
      })
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    }
  })

  test('a new password or address ends every session of the person', async () => {
    for (const change of [{ password: 'outra-muito-melhor-77' }, { email: newEmail() }]) {
      const user = await create()
      const auth = await signedIn(user.email)
      expect((await admin.updateUserById(user.id, change)).error).toBeNull()
      expect((await auth.getUser()).error?.name).toBe('AuthSessionMissingError')
    }
  })

  test('metadata merges key by key, and null removes one', async () => {
    const user = await create({ email_confirm: false, user_metadata: { a: 1, b: 2 } })
    const { data } = await admin.updateUserById(user.id, { user_metadata: { b: null, c: 3 } })
    expect(data.user?.user_metadata).toEqual({ a: 1, c: 3 })
  })

  test('a ban refuses the next call, and is lifted again', async () => {
    const user = await create()
    const auth = await signedIn(user.email)
    const banned = await admin.updateUserById(user.id, { ban_duration: '1h30m' })
    const until = Date.parse((banned.data.user as { banned_until?: string } | null)?.banned_until ?? '')
    expect(Math.abs(until - Date.now() - 5_400_000)).toBeLessThan(60_000)
    expect((await auth.getUser()).error).toMatchObject({ status: 403, code: 'user_banned' })
    expect(
      (await client().signInWithPassword({ email: user.email ?? '', password: PASSWORD })).error,
    ).toMatchObject({ status: 400, code: 'user_banned' })
    await admin.updateUserById(user.id, { ban_duration: 'none' })
    expect((await auth.getUser()).error).toBeNull()
  })

  test('deletes permanently or softly; both end the sessions and free the address', async () => {
    for (const soft of [false, true]) {
      const user = await create()
      const auth = await signedIn(user.email)
      expect((await admin.deleteUser(user.id, soft)).error).toBeNull()
      expect((await auth.getUser()).error?.status).toBe(soft ? 403 : 403)
      const after = await admin.getUserById(user.id)
      if (soft) expect(after.data.user).toMatchObject({ deleted_at: expect.any(String) })
      else
        expect(after.error).toMatchObject({ status: 404, code: 'user_not_found', message: 'User not found' })
      expect((await admin.createUser({ email: user.email ?? '' })).error).toBeNull()
    }
  })

  test('refuses changes of the principal, also with a service key', async () => {
    const { id } = await site.database.db
      .selectFrom('auth_users')
      .select('id')
      .where('email', '=', PRINCIPAL.email)
      .executeTakeFirstOrThrow()
    for (const soft of [false, true]) {
      const { error } = await admin.deleteUser(id, soft)
      expect(error?.message).toBe('Não é possível excluir o usuário administrador principal.')
    }
    for (const change of [{ email: newEmail() }, { ban_duration: '1h' }])
      expect((await admin.updateUserById(id, change)).error?.code).toBe('principal_admin_protected')
    expect((await client().signInWithPassword(PRINCIPAL)).error).toBeNull()
  })

  test('lists and removes second factors', async () => {
    const user = await create()
    const at = new Date().toISOString()
    const factor = {
      id: crypto.randomUUID(),
      user_id: user.id,
      friendly_name: 'Celular',
      secret: 'NEVER SHOWN',
    }
    await site.database.db
      .insertInto('auth_factors')
      .values({ ...factor, factor_type: 'totp', status: 'verified', created_at: at, updated_at: at })
      .execute()
    const list = await admin.mfa.listFactors({ userId: user.id })
    expect(list.data?.factors).toEqual([
      {
        id: factor.id,
        friendly_name: 'Celular',
        factor_type: 'totp',
        status: 'verified',
        phone: '',
        last_challenged_at: null,
        created_at: at,
        updated_at: at,
      },
    ])
    expect((await admin.mfa.deleteFactor({ userId: user.id, id: factor.id })).error).toBeNull()
    expect((await admin.mfa.listFactors({ userId: user.id })).data?.factors).toEqual([])
  })

  test.each(['not-a-uuid', '%20', "1'--"])('the path id %s is no user', async (id) => {
    const answer = await call(site, {
      path: `/auth/v1/admin/users/${id}`,
      apikey: keys.service,
      bearer: keys.service,
    })
    expect([answer.status, answer.body.code]).toEqual([404, 'validation_failed'])
  })

  test('audits every change, without a hash', async () => {
    const user = await create()
    await admin.updateUserById(user.id, { password: 'outra-muito-melhor-77' })
    await admin.deleteUser(user.id)
    const rows = await site.database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('subject', '=', user.id)
      .orderBy('created_at')
      .execute()
    expect(rows.map((row) => row.action)).toEqual(['user.created', 'user.password_changed', 'user.deleted'])
    expect(rows.every((row) => row.actor === 'service key')).toBe(true)
    expect(JSON.stringify(rows)).not.toContain('argon2')
  })
})
