import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TIER_ENGINES } from '../support/engines.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const PASSWORD = 'janela-verde-oceano-41'
const OTHER = 'trilho-pedra-nuvem-77'

/** Whoever signed up with the address of a future administrator must not get the role. */
describe.each(TIER_ENGINES)('a role for an existing account, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  beforeAll(async () => {
    site = await startTestApp({ engine, env: { AUTH_SIGNUP: 'open' } })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())

  const signUp = async (email: string) => {
    const body = { email, password: PASSWORD }
    const answer = await call(site, { method: 'POST', path: '/auth/v1/signup', apikey: keys.anon, body })
    expect(answer.status).toBe(200)
    return answer.body
  }
  const signIn = (email: string, password: string) =>
    call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: { email, password },
    })
  const list = (bearer: string) =>
    call(site, { method: 'GET', path: '/rest/v1/admin_users', apikey: keys.anon, bearer })
  const grant = (body: object) =>
    call(site, {
      method: 'POST',
      path: '/rest/v1/admin_users',
      apikey: keys.service,
      bearer: keys.service,
      body,
    })
  const prove = (email: string) =>
    site.database.db
      .updateTable('auth_users')
      .set({ mailbox_proved_at: new Date().toISOString() })
      .where('email', '=', email)
      .execute()

  test.each(['plain', 'shouted'])('an unproved account (%s) loses every credential', async (spelling) => {
    const email = `${spelling}@exemplo.com.br`
    const { access_token: session, user } = await signUp(email)
    const answer = await grant({
      email: spelling === 'shouted' ? ` ${email.toUpperCase()}` : email,
      role: 'admin',
    })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    expect((await list(session)).status).toBe(401)
    expect((await signIn(email, PASSWORD)).status).toBe(400)
    const row = await site.database.db
      .selectFrom('auth_users')
      .selectAll()
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ password_hash: null, mailbox_proved_at: expect.any(String) })
    await site.database.db.deleteFrom('auth_users').where('id', '=', user.id).execute()
  })

  test("an unproved account gets the administrator's password", async () => {
    const email = 'outra@exemplo.com.br'
    await signUp(email)
    expect((await grant({ email, password: OTHER, role: 'admin' })).status).toBe(201)
    expect((await signIn(email, PASSWORD)).status).toBe(400)
    const { body } = await signIn(email, OTHER)
    expect((await list(body.access_token)).status).toBe(200)
  })

  test('a proved account keeps its password and session, and gets access', async () => {
    const email = 'provada@exemplo.com.br'
    const { access_token: session, user } = await signUp(email)
    expect((await list(session)).status).toBe(403)
    await prove(email)
    expect((await grant({ email, role: 'super_admin' })).status).toBe(201)
    expect((await list(session)).status).toBe(200)
    expect((await signIn(email, PASSWORD)).status).toBe(200)
    expect((await grant({ email, role: 'admin' })).body.code).toBe('23505')
    expect((await grant({ id: crypto.randomUUID(), email, role: 'admin' })).body.code).toBe('23505')
    const events = await site.database.db
      .selectFrom('audit_events')
      .select('action')
      .where('subject', '=', user.id)
      .execute()
    expect(events.map(({ action }) => action)).toContain('user.role_granted')
  })

  test('a proved account with a new password gets it, and its sessions end', async () => {
    const email = 'nova-senha@exemplo.com.br'
    const { access_token: session } = await signUp(email)
    await prove(email)
    expect((await grant({ email, password: OTHER, role: 'admin' })).status).toBe(201)
    expect((await list(session)).status).toBe(401)
    expect((await signIn(email, OTHER)).status).toBe(200)
  })

  test('a banned account gets no role, and an unknown address needs a password', async () => {
    const email = 'banida@exemplo.com.br'
    await signUp(email)
    await site.database.db
      .updateTable('auth_users')
      .set({ banned_until: '2999-01-01T00:00:00.000Z' })
      .where('email', '=', email)
      .execute()
    expect((await grant({ email, role: 'admin' })).body.code).toBe('23505')
    expect((await grant({ email: 'ninguem@exemplo.com.br', role: 'admin' })).body.code).toBe('23502')
  })

  test('proving a mailbox by email deletes what a stranger set up before', async () => {
    const email = 'vitima@exemplo.com.br'
    const { access_token: session } = await signUp(email)
    const link = await call(site, {
      method: 'POST',
      path: '/auth/v1/admin/generate_link',
      apikey: keys.service,
      bearer: keys.service,
      body: { type: 'magiclink', email },
    })
    const body = { type: 'magiclink', token_hash: link.body.hashed_token }
    const own = await call(site, { method: 'POST', path: '/auth/v1/verify', apikey: keys.anon, body })
    expect(own.status).toBe(200)
    expect((await signIn(email, PASSWORD)).status).toBe(400)
    const user = (bearer: string) =>
      call(site, { method: 'GET', path: '/auth/v1/user', apikey: keys.anon, bearer })
    expect((await user(session)).status).toBe(403)
    expect((await user(own.body.access_token)).status).toBe(200)
  })

  test.each(['admin', 'super_admin', 'service_role', 'supabase_admin', 'anon'])(
    'the auth service refuses the role %s',
    async (role) => {
      const answer = await call(site, {
        method: 'POST',
        path: '/auth/v1/admin/users',
        apikey: keys.service,
        bearer: keys.service,
        body: { email: 'papel@exemplo.com.br', role },
      })
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
      expect(answer.body.message).toContain('/rest/v1/admin_users')
    },
  )
})
