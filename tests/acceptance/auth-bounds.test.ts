import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TIER_ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { type AuthCall, asDashboard, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const PASSWORD = 'varanda-azulejo-27'
const KB = 1024

/** What an account without a role can make the server store or compute while sign-up is open. */
describe.each(TIER_ENGINES)('limits of an account on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let people = 0
  beforeAll(async () => {
    site = await startTestApp({ engine, env: { AUTH_SIGNUP: 'open' } })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())
  beforeEach(() => site.forgetLimits())

  const send = (method: 'POST' | 'PUT', path: string, body: unknown, rest: Partial<AuthCall> = {}) =>
    call(site, { method, path: `/auth/v1${path}`, apikey: keys.anon, body, ...rest })
  const makeEmail = () => `estranha${people++}@exemplo.com.br`
  const signUp = async () => {
    const email = makeEmail()
    const { body } = await send('POST', '/signup', { email, password: PASSWORD })
    return { email, id: String(body.user.id), bearer: String(body.access_token) }
  }
  const signIn = (email: string, rest: Partial<AuthCall> = {}, password = PASSWORD) =>
    send('POST', '/token?grant_type=password', { email, password }, rest)
  const metadataOf = async (email: string) =>
    (
      await site.database.db
        .selectFrom('auth_users')
        .select('user_metadata')
        .where('email', '=', email)
        .executeTakeFirst()
    )?.user_metadata

  test.each([
    ['POST', '/signup', 'data', 'anon'],
    ['POST', '/otp', 'data', 'anon'],
    ['POST', '/invite', 'data', 'service'],
    ['POST', '/admin/users', 'user_metadata', 'service'],
    ['POST', '/admin/users', 'app_metadata', 'service'],
  ] as const)('%s %s refuses more than 16 KB of metadata in "%s"', async (method, path, field, key) => {
    const bearer = key === 'service' ? { bearer: keys.service } : {}
    const make = (size: number) => {
      const email = makeEmail()
      const body = { email, password: PASSWORD, [field]: { note: 'x'.repeat(size) } }
      return send(method, path, body, bearer)
    }
    expect(await make(17 * KB)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect((await make(15 * KB)).status).toBe(200)
  })

  test('refuses metadata that grows beyond 16 KB in pieces, and allows removing it', async () => {
    const { bearer, email } = await signUp()
    const put = (data: object) => send('PUT', '/user', { data }, { bearer })
    expect((await put({ a: 'ã'.repeat(4 * KB) })).status).toBe(200)
    expect(await put({ b: 'x'.repeat(9 * KB) })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
    expect((await put({ a: null, b: 'x'.repeat(9 * KB) })).status).toBe(200)
    expect(Object.keys((await metadataOf(email)) ?? {}).sort()).toEqual(['b'])
  })

  test.each([
    ['POST', '/token?grant_type=password', 8],
    ['POST', '/token?grant_type=refresh_token', 8],
    ['POST', '/recover', 8],
    ['POST', '/verify', 8],
    ['POST', '/signup', 64],
    ['POST', '/otp', 64],
    ['PUT', '/user', 64],
    ['POST', '/passkeys/authentication/verify', 128],
  ] as const)('%s %s returns 413 for a body of more than %d KB', async (method, path, size) => {
    const body = { filler: 'x'.repeat(size * KB) }
    expect((await send(method, path, body)).status).toBe(413)
    const smaller = await send(method, path, { filler: 'x'.repeat(size * KB - 200) })
    expect(smaller.status).not.toBe(413)
  })

  test('keeps 200 sessions per account; aal1 sessions are removed first', async () => {
    const { email, id } = await signUp()
    const rows = Array.from({ length: 260 }, (_, n) => ({
      id: randomUUID(),
      user_id: id,
      login_id: null,
      aal: n < 5 ? ('aal2' as const) : ('aal1' as const),
      amr: '[]',
      user_agent: '',
      network: null,
      created_at: new Date(Date.now() - 86_400_000).toISOString(),
      last_used_at: new Date(Date.now() - 86_400_000 + n).toISOString(),
    }))
    await site.database.db.insertInto('auth_sessions').values(rows).execute()
    const { body } = await signIn(email)
    const left = await site.database.db
      .selectFrom('auth_sessions')
      .select(['id', 'aal'])
      .where('user_id', '=', id)
      .execute()
    expect(left).toHaveLength(200)
    expect(left.filter(({ aal }) => aal === 'aal2')).toHaveLength(5)
    expect(left.map((row) => row.id)).toContain(rows.at(-1)?.id)
    const user = await call(site, { path: '/auth/v1/user', apikey: keys.anon, bearer: body.access_token })
    expect(user.status).toBe(200)
  })

  test('keeps 50 browsers per account', async () => {
    const { email, id } = await signUp()
    const at = (n: number) => new Date(Date.now() - 3_600_000 + n).toISOString()
    const rows = Array.from({ length: 60 }, (_, n) => ({
      id: randomUUID(),
      user_id: id,
      token_hash: randomUUID(),
      aal: 'aal1' as const,
      amr: '[]',
      user_agent: '',
      network: null,
      created_at: at(n),
      last_used_at: at(n),
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    }))
    await site.database.db.insertInto('auth_logins').values(rows).execute()
    expect((await signIn(email, { headers: asDashboard(site) })).status).toBe(200)
    const left = await site.database.db
      .selectFrom('auth_logins')
      .select('id')
      .where('user_id', '=', id)
      .execute()
    expect(left).toHaveLength(50)
    expect(left.map((row) => row.id)).toContain(rows.at(-1)?.id)
  })

  test('limits right passwords: thirty in five minutes per address and known browser', async () => {
    const { email } = await signUp()
    const known = await signIn(email, { headers: asDashboard(site), from: '10.1.0.1' })
    const cookie = `__Host-portico-device=${known.cookies['__Host-portico-device']}`
    const answers = await Promise.all(Array.from({ length: 40 }, () => signIn(email, { from: '10.1.0.9' })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30)
    expect((await signIn(email, { from: '10.1.0.10' })).status).toBe(200)
    const browser = { headers: { ...asDashboard(site), cookie }, from: '10.1.0.9' }
    expect((await signIn(email, browser)).status).toBe(200)
  })

  test('limits right passwords: 120 in five minutes per account', async () => {
    const { email } = await signUp()
    const statuses: number[] = []
    for (let n = 1; n <= 13; n++) {
      const from = `10.2.0.${n}`
      const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(email, { from })))
      statuses.push(...answers.map(({ status }) => status))
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(120)
  })

  test('a flood of sign-ins to one account affects no other', async () => {
    const { email } = await signUp()
    const flood = Array.from({ length: 200 }, (_, n) => signIn(email, { from: `10.3.0.${n % 4}` }))
    const administrators = Array.from({ length: 20 }, (_, n) =>
      signIn(PRINCIPAL.email, { from: `203.0.113.${n}` }, PRINCIPAL.password),
    )
    const answers = await Promise.all(administrators)
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    await Promise.all(flood)
  })

  test('limits changes per login, independent of the person’s other logins', async () => {
    const { email, bearer } = await signUp()
    const answers = []
    for (let n = 0; n < 125; n++) answers.push(await send('PUT', '/user', { data: { n } }, { bearer }))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(120)
    const { body } = await signIn(email)
    expect((await send('PUT', '/user', { data: {} }, { bearer: body.access_token })).status).toBe(200)
  })
})
