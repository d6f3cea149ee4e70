import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { beforeTransaction } from '../support/before-transaction.ts'
import { TIER_ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { asDashboard, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

describe.each(TIER_ENGINES)('wrong passwords on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  beforeAll(async () => {
    site = await startTestApp({ engine })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())
  beforeEach(() => site.forgetLimits())

  const guess = (
    password: string,
    { email = PRINCIPAL.email, from = '10.0.0.1', headers = {} as Record<string, string> } = {},
  ) =>
    call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: { email, password },
      from,
      headers,
    })
  const statuses = (answers: { status: number }[]) => Object.groupBy(answers, ({ status }) => status)

  test('locks an account after ten from all addresses, even for the right one', async () => {
    for (let n = 0; n < 10; n++) {
      const answer = await guess('wrong', { from: `10.0.1.${n}` })
      expect(answer.body).toEqual({ code: 'invalid_credentials', message: 'Invalid login credentials' })
    }
    for (const password of ['wrong', PRINCIPAL.password]) {
      const answer = await guess(password, { from: '10.0.1.200' })
      expect(answer.status).toBe(429)
      expect(answer.body).toEqual({ code: 'over_request_rate_limit', message: 'Request rate limit reached' })
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(800)
    }
  })

  test('does not allow more in parallel', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => guess('wrong', { from: `10.0.2.${n}` })),
    )
    const { 400: wrong = [], 429: refused = [] } = statuses(answers)
    expect([wrong.length, refused.length]).toEqual([10, 30])
  })

  test('counts an unknown account the same way', async () => {
    const email = 'ninguem@exemplo.com.br'
    for (let n = 0; n < 10; n++) expect((await guess('wrong', { email })).status).toBe(400)
    expect((await guess('wrong', { email })).status).toBe(429)
    expect((await guess('wrong', { email: email.toUpperCase() })).status).toBe(429)
  })

  test('locks an address after thirty over all accounts, and no other address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => guess('wrong', { email: `p${n % 25}@exemplo.com.br` })),
    )
    const { 400: wrong = [], 429: refused = [] } = statuses(answers)
    expect([wrong.length, refused.length]).toEqual([30, 20])
    expect((await guess(PRINCIPAL.password)).status).toBe(429)
    expect((await guess(PRINCIPAL.password, { from: '10.0.0.2' })).status).toBe(200)
  })

  test('locks an IPv6 /48 after 150 over all accounts and blocks', async () => {
    for (let n = 0; n < 150; n++) {
      const from = `2001:db8:48:${n.toString(16)}::1`
      expect((await guess('wrong', { email: `v${n}@exemplo.com.br`, from })).status).toBe(400)
    }
    expect((await guess(PRINCIPAL.password, { from: '2001:db8:48:ffff::1' })).status).toBe(429)
    expect((await guess(PRINCIPAL.password, { from: '2001:db8:49::1' })).status).toBe(200)
  })

  test('ignores a forged X-Forwarded-For', async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        guess('wrong', {
          email: `q${n}@exemplo.com.br`,
          headers: { 'x-forwarded-for': `203.0.113.${n}` },
        }),
      ),
    )
    expect(
      (await guess('wrong', { email: 'q99@exemplo.com.br', headers: { 'x-forwarded-for': '203.0.113.99' } }))
        .status,
    ).toBe(429)
  })

  test('does not count right ones: two dozen at once succeed', async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, () => guess(PRINCIPAL.password)))
    expect(Object.keys(statuses(answers))).toEqual(['200'])
  })

  test('lets the owner’s browser in during an attack, with ten wrong guesses of its own', async () => {
    const known = await guess(PRINCIPAL.password, { headers: asDashboard(site) })
    const device = known.cookies['__Host-portico-device']
    const headers = { ...asDashboard(site), cookie: `__Host-portico-device=${device}` }
    for (let n = 0; n < 11; n++) await guess('wrong', { from: '10.6.6.6' })
    expect((await guess(PRINCIPAL.password)).status).toBe(429)
    expect((await guess(PRINCIPAL.password, { headers })).status).toBe(200)
    for (let n = 0; n < 10; n++) expect((await guess('wrong', { headers })).status).toBe(400)
    expect((await guess(PRINCIPAL.password, { headers })).status).toBe(429)
    const forged = `__Host-portico-device=${device?.slice(0, -3)}abc`
    expect((await guess(PRINCIPAL.password, { headers: { ...headers, cookie: forged } })).status).toBe(429)
  })

  test('a device cookie with another account’s ID gives no guesses at that account', async () => {
    const email = 'bia@exemplo.com.br'
    await call(site, {
      method: 'POST',
      path: '/auth/v1/admin/users',
      apikey: keys.service,
      bearer: keys.service,
      body: { email, password: PRINCIPAL.password, email_confirm: true },
    })
    const deviceOf = async (who: string) =>
      (await guess(PRINCIPAL.password, { email: who, headers: asDashboard(site) })).cookies[
        '__Host-portico-device'
      ]?.split('.') ?? []
    const [owner] = await deviceOf(PRINCIPAL.email)
    const [, id, signature] = await deviceOf(email)
    for (let n = 0; n < 11; n++) await guess('wrong', { from: '10.6.6.6' })
    const headers = {
      ...asDashboard(site),
      cookie: `__Host-portico-device=${[owner, id, signature].join('.')}`,
    }
    expect((await guess(PRINCIPAL.password, { headers })).status).toBe(429)
  })

  test('refuses a password that is changed while it is checked', async () => {
    const { db } = site.database
    const { password_hash } = await db
      .selectFrom('auth_users')
      .select('password_hash')
      .where('email', '=', PRINCIPAL.email)
      .executeTakeFirstOrThrow()
    const set = (hash: string | null) =>
      db.updateTable('auth_users').set({ password_hash: hash }).where('email', '=', PRINCIPAL.email).execute()
    const answer = await beforeTransaction(
      db,
      () => guess(PRINCIPAL.password),
      () => set('x'),
    )
    await set(password_hash)
    expect(answer.body).toMatchObject({ code: 'invalid_credentials' })
    expect((await guess(PRINCIPAL.password)).status).toBe(200)
  })

  test('a hundred sign-ins at once cause no 5xx, and refused ones get Retry-After', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => guess(PRINCIPAL.password, { from: `10.0.3.${n}` })),
    )
    expect(Object.keys(statuses(answers)).every((status) => ['200', '429'].includes(status))).toBe(true)
    for (const answer of answers.filter(({ status }) => status === 429))
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(60)
  })

  test('audits failures without the password', async () => {
    await guess('um-segredo-digitado', { email: 'auditada@exemplo.com.br' })
    const rows = await site.database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('actor', '=', 'auditada@exemplo.com.br')
      .execute()
    expect(rows.map((row) => row.action)).toEqual(['auth.sign_in_failed'])
    expect(JSON.stringify(rows)).not.toContain('um-segredo-digitado')
  })

  test('audits typed text that is no address as a guest', async () => {
    for (const email of ['command line', 'ana@exemplo.com.br\n excluiu tudo', 'ana\u202e@exemplo.com.br'])
      await guess('um-segredo-digitado', { email })
    const rows = await site.database.db
      .selectFrom('audit_events')
      .select('actor')
      .where('action', '=', 'auth.sign_in_failed')
      .execute()
    const actors = rows.map(({ actor }) => actor)
    expect(actors.filter((actor) => actor === 'guest')).toHaveLength(3)
    expect(actors.filter((actor) => actor === 'command line' || /\p{C}/u.test(actor))).toEqual([])
  })
})
