import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Authenticator } from '../support/authenticator.ts'
import { TIER_ENGINES } from '../support/engines.ts'
import { Mailbox } from '../support/mailbox.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { asDashboard, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const DEVICE_COOKIE = '__Host-portico-device'
const HOME = '203.0.113.7'
const ELSEWHERE = '198.51.100.66'
const SUBJECT = 'Alguém errou o código da sua conta'

/** Somebody who knows the password guesses the second factor, while its owner must be able to sign in. */
describe.each(TIER_ENGINES)('guesses at the second step on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let mailbox: Mailbox
  let app: Authenticator
  let factorId: string
  /** Of the owner's browser, which has passed the second step. */
  let cookie: string
  beforeAll(async () => {
    mailbox = await Mailbox.open()
    site = await startTestApp({ engine, env: { SMTP_URL: mailbox.url } })
    keys = await readKeys(site)
  })
  afterAll(async () => {
    await site.close()
    await mailbox.close()
  })
  beforeEach(async () => {
    await site.forgetLimits()
    await site.database.db.deleteFrom('auth_factors').execute()
    const { bearer } = await signIn({ headers: asDashboard(site), from: HOME })
    const { body } = await post('/auth/v1/factors', { bearer, body: { factor_type: 'totp' } })
    factorId = body.id
    app = new Authenticator(body.totp.secret)
    const shown = await verify(await app.next(), { bearer, headers: asDashboard(site), from: HOME })
    expect(shown.status).toBe(200)
    cookie = `${DEVICE_COOKIE}=${shown.cookies[DEVICE_COOKIE]}`
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  interface From {
    bearer?: string
    headers?: Record<string, string>
    from?: string
    body?: unknown
  }
  const post = (path: string, { body = {}, ...rest }: From) =>
    call(site, { method: 'POST', path, apikey: keys.anon, body, ...rest })
  const signIn = async (where: From) => {
    const { body, cookies } = await post('/auth/v1/token?grant_type=password', { ...where, body: PRINCIPAL })
    return { bearer: String(body.access_token), cookies }
  }
  const verify = async (code: string, where: From) => {
    const challenge = await post(`/auth/v1/factors/${factorId}/challenge`, where)
    if (challenge.status !== 200) return challenge
    const body = { challenge_id: challenge.body.id, code }
    return post(`/auth/v1/factors/${factorId}/verify`, { ...where, body })
  }
  /** With one challenge, beyond the limit of calls a minute. */
  const guess = async (times: number, where: From) => {
    const statuses: number[] = []
    for (let n = 0; n < times; n++) {
      await forgetCalls()
      statuses.push((await verify('000000', where)).status)
    }
    return statuses
  }
  const forgetCalls = () =>
    site.database.db.deleteFrom('rate_limits').where('key', 'like', '%calls:%').execute()
  const failuresAudited = async () =>
    (
      await site.database.db
        .selectFrom('audit_events')
        .select('id')
        .where('action', '=', 'auth.second_step_failed')
        .execute()
    ).length

  test('an attacker locks out neither the owner’s browser nor the owner at another address', async () => {
    const { bearer } = await signIn({ from: ELSEWHERE })
    expect(new Set(await guess(20, { bearer, from: ELSEWHERE }))).toEqual(new Set([422, 429]))
    const code = await app.next()
    const program = await signIn({ from: '192.0.2.10' })
    expect((await verify(code, { bearer: program.bearer, from: '192.0.2.10' })).status).toBe(200)
    const browser = { headers: { ...asDashboard(site), cookie }, from: ELSEWHERE }
    const owner = await signIn(browser)
    expect((await verify(await app.next(), { bearer: owner.bearer, ...browser })).status).toBe(200)
  })

  test('stops many addresses together, and the owner’s browser still gets in', async () => {
    const { bearer } = await signIn({ from: ELSEWHERE })
    const statuses: number[] = []
    for (let n = 1; n <= 5; n++) statuses.push(...(await guess(8, { bearer, from: `198.51.100.${n}` })))
    expect(statuses.filter((status) => status === 422)).toHaveLength(30)
    const browser = { headers: { ...asDashboard(site), cookie }, from: HOME }
    const owner = await signIn(browser)
    expect((await verify(await app.next(), { bearer: owner.bearer, ...browser })).status).toBe(200)
  })

  test('a browser that only passed the password has no separate limit', async () => {
    const first = await signIn({ headers: asDashboard(site), from: ELSEWHERE })
    const device = `${DEVICE_COOKIE}=${first.cookies[DEVICE_COOKIE]}`
    expect(await guess(11, { bearer: first.bearer, from: ELSEWHERE })).toContain(429)
    const browser = { headers: { ...asDashboard(site), cookie: device }, from: ELSEWHERE }
    const again = await signIn(browser)
    await forgetCalls()
    expect((await verify(await app.next(), { bearer: again.bearer, ...browser })).status).toBe(429)
  })

  test('signing in again with the password gives the owner’s browser no new guesses', async () => {
    const browser = { headers: { ...asDashboard(site), cookie }, from: HOME }
    const first = await signIn(browser)
    expect(await guess(11, { bearer: first.bearer, ...browser })).toContain(429)
    const again = await signIn(browser)
    const renewed = again.cookies[DEVICE_COOKIE]
    const headers =
      renewed === undefined ? browser.headers : { ...browser.headers, cookie: `${DEVICE_COOKIE}=${renewed}` }
    await forgetCalls()
    expect((await verify(await app.next(), { bearer: again.bearer, headers, from: HOME })).status).toBe(429)
  })

  test('waits grow from a minute to an hour, and a right code ends them', async () => {
    const { bearer } = await signIn({ from: ELSEWHERE })
    const where = { bearer, from: ELSEWHERE }
    await guess(10, where)
    for (const minutes of [1, 2, 5, 15, 30]) {
      await forgetCalls()
      const refused = await verify('000000', where)
      expect(refused.status).toBe(429)
      const seconds = Number(refused.headers['retry-after'])
      expect(seconds).toBeGreaterThan(minutes * 60 - 10)
      expect(seconds).toBeLessThanOrEqual(minutes * 60)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
      expect(await guess(1, where)).toEqual([422])
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    const { bearer: fresh } = await signIn({ from: ELSEWHERE })
    const right = app.at(Math.floor(Date.now() / 30_000))
    expect((await verify(right, { bearer: fresh, from: ELSEWHERE })).status).toBe(200)
    const { bearer: next } = await signIn({ from: ELSEWHERE })
    expect(await guess(10, { bearer: next, from: ELSEWHERE })).toEqual(Array(10).fill(422))
  })

  test('parallel guesses learn no more than sequential ones', async () => {
    const { bearer } = await signIn({ from: ELSEWHERE })
    const challenge = await post(`/auth/v1/factors/${factorId}/challenge`, { bearer, from: ELSEWHERE })
    const body = { challenge_id: challenge.body.id, code: '000000' }
    await forgetCalls()
    const answers = await Promise.all(
      Array.from({ length: 14 }, () =>
        post(`/auth/v1/factors/${factorId}/verify`, { bearer, from: ELSEWHERE, body }),
      ),
    )
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(10)
  })

  test('audits each failure, and emails the owner once guessing continues', async () => {
    const before = await failuresAudited()
    const { bearer } = await signIn({ from: ELSEWHERE })
    await guess(9, { bearer, from: ELSEWHERE })
    expect(await failuresAudited()).toBe(before + 9)
    await guess(3, { bearer, from: ELSEWHERE })
    expect(await failuresAudited()).toBe(before + 10)
    const { text } = await mailbox.take(PRINCIPAL.email, SUBJECT)
    expect(text).toContain('alguém que passou pela primeira etapa do login')
  })

  test('a wrong recovery code counts, is audited and locks the same way', async () => {
    const before = await failuresAudited()
    const { bearer } = await signIn({ from: ELSEWHERE })
    const use = (from: string) =>
      post('/admin/api/recovery-codes/use', { bearer, from, body: { code: 'aaaaa-aaaaa' } })
    for (let n = 0; n < 10; n++) expect((await use(ELSEWHERE)).status).toBe(422)
    expect((await use(ELSEWHERE)).status).toBe(429)
    expect((await use(HOME)).status).toBe(422)
    expect(await failuresAudited()).toBe(before + 11)
  })
})
