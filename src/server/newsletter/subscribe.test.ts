import Fastify from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NEWSLETTER_MESSAGES } from '#contract/newsletter.ts'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { RateCounter } from '../http/limits/counter.ts'
import { PublicLimits } from '../http/limits/public.ts'
import { createLogger } from '../http/logging/logger.ts'
import { registerNewsletter } from './subscribe.ts'

const { success, invalid, rejected } = NEWSLETTER_MESSAGES
const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const SAME_SITE = { 'sec-fetch-site': 'same-site', origin: 'http://localhost' }

describe.each(TIER_ENGINES)('POST /api/newsletter on %s', (engine) => {
  let site: TestApp
  let visitor = 0
  beforeAll(async () => {
    site = await startTestApp({ engine, env: { TRUST_PROXY: 'loopback' } })
  })
  afterAll(() => site.close())

  /** Each post comes from its own address unless one is given. */
  const post = (type: string, payload: string, headers: Record<string, string> = {}) =>
    site.app.inject({
      method: 'POST',
      url: '/api/newsletter',
      payload,
      headers: {
        'content-type': type,
        'x-forwarded-for': `198.51.100.${visitor++ % 250}, 127.0.0.1`,
        ...headers,
      },
    })
  const stored = async () =>
    (
      await site.database.db.selectFrom('newsletter_subscriptions').select('email').orderBy('email').execute()
    ).map((row) => row.email)

  test.each([
    ['a good address', JSON_TYPE, '{"email":"ana@exemplo.com.br"}', 200, success],
    ['an address to be tidied', JSON_TYPE, '{"email":"  Bia@Exemplo.COM.br "}', 200, success],
    ['an empty honeypot', JSON_TYPE, '{"email":"caio@exemplo.com.br","site":""}', 200, success],
    ['a form', FORM_TYPE, 'email=Davi%40exemplo.com.br&site=', 200, success],
    [
      'a form with a charset',
      `${FORM_TYPE}; charset=UTF-8`,
      'email=eva%2Blista%40exemplo.com.br',
      200,
      success,
    ],
    [
      'a filled honeypot',
      JSON_TYPE,
      '{"email":"robo@exemplo.com.br","site":"http://x.example"}',
      200,
      success,
    ],
    ['a filled honeypot in a form', FORM_TYPE, 'email=robo2%40exemplo.com.br&site=x', 200, success],
    ['no address', JSON_TYPE, '{}', 422, invalid],
    ['an empty address', JSON_TYPE, '{"email":"   "}', 422, invalid],
    ['text', JSON_TYPE, '{"email":"ana"}', 422, invalid],
    ['no dot', JSON_TYPE, '{"email":"ana@exemplo"}', 422, invalid],
    ['two at signs', JSON_TYPE, '{"email":"a@na@exemplo.com"}', 422, invalid],
    ['a space inside', JSON_TYPE, '{"email":"ana b@exemplo.com"}', 422, invalid],
    ['a NUL inside', JSON_TYPE, '{"email":"an\\u0000a@exemplo.com"}', 422, invalid],
    ['a line break inside', JSON_TYPE, '{"email":"ana@exemplo.com\\r\\nbcc:x@y.z"}', 422, invalid],
    ['255 characters', JSON_TYPE, `{"email":"${'a'.repeat(249)}@ex.co"}`, 422, invalid],
    ['letters that grow in lower case', JSON_TYPE, `{"email":"${'İ'.repeat(248)}@ex.co"}`, 422, invalid],
    ['a number', JSON_TYPE, '{"email":5}', 422, invalid],
    ['a list', JSON_TYPE, '["ana@exemplo.com"]', 422, invalid],
    ['null', JSON_TYPE, 'null', 422, invalid],
    ['an empty form', FORM_TYPE, 'email=', 422, invalid],
    ['broken JSON', JSON_TYPE, '{"email":', 400, rejected],
    ['no body', JSON_TYPE, '', 400, rejected],
    ['a body beyond 4 KB', JSON_TYPE, `{"email":"ana@exemplo.com","x":"${'x'.repeat(5000)}"}`, 413, rejected],
    ['a form beyond 4 KB', FORM_TYPE, `email=${'x'.repeat(5000)}`, 413, rejected],
    ['plain text', 'text/plain', '{"email":"fora@exemplo.com"}', 415, rejected],
    ['a multipart form', 'multipart/form-data; boundary=x', '--x--', 415, rejected],
  ])('%s', async (_what, type, payload, status, message) => {
    const response = await post(type, payload)
    expect(response.statusCode).toBe(status)
    expect(response.headers['cache-control']).toBe('no-store')
    if (type.startsWith(FORM_TYPE)) {
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(response.headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(response.body).toContain(message)
    } else {
      expect(response.json()).toEqual({ message })
    }
  })

  test('stored people in normal form, and no robots', async () => {
    expect(await stored()).toEqual([
      'ana@exemplo.com.br',
      'bia@exemplo.com.br',
      'caio@exemplo.com.br',
      'davi@exemplo.com.br',
      'eva+lista@exemplo.com.br',
    ])
  })

  test('subscribing twice succeeds and keeps one subscription with one key', async () => {
    const read = () =>
      site.database.db
        .selectFrom('newsletter_subscriptions')
        .selectAll()
        .where('email', '=', 'gil@exemplo.com.br')
        .execute()
    await post(JSON_TYPE, '{"email":"gil@exemplo.com.br"}')
    const before = await read()
    const answers = await Promise.all(
      ['gil@exemplo.com.br', 'GIL@exemplo.com.br'].map((email) => post(JSON_TYPE, JSON.stringify({ email }))),
    )
    expect(answers.map((answer) => answer.statusCode)).toEqual([200, 200])
    expect(await read()).toEqual(before)
    expect(before).toHaveLength(1)
  })

  test('subscribing again after a failure reopens it under the same key', async () => {
    const row = () =>
      site.database.db
        .selectFrom('newsletter_subscriptions')
        .select(['status', 'attempts', 'delivery_key', 'last_error'])
        .where('email', '=', 'hugo@exemplo.com.br')
        .executeTakeFirstOrThrow()
    await post(JSON_TYPE, '{"email":"hugo@exemplo.com.br"}')
    const { delivery_key } = await row()
    await site.database.db
      .updateTable('newsletter_subscriptions')
      .set({ status: 'failed', attempts: 99, last_error: 'HTTP 500' })
      .where('email', '=', 'hugo@exemplo.com.br')
      .execute()
    await post(JSON_TYPE, '{"email":"hugo@exemplo.com.br"}')
    expect({ ...(await row()) }).toEqual({ status: 'pending', attempts: 0, delivery_key, last_error: null })
  })

  test.each<[string, Record<string, string>, number]>([
    ['the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['the browser calls same-site', { 'sec-fetch-site': 'same-site' }, 403],
    ['the browser calls same-site, whatever it says of itself', SAME_SITE, 403],
    ['the browser calls same-origin', { 'sec-fetch-site': 'same-origin' }, 200],
    ['the person sends again', { 'sec-fetch-site': 'none' }, 200],
    ['another origin sends without fetch metadata', { origin: 'https://malvado.example' }, 403],
    ['another port sends without fetch metadata', { origin: 'http://localhost:1' }, 403],
    ['a page without an origin sends', { origin: 'null' }, 403],
    ['our own page sends without fetch metadata', { origin: 'OWN' }, 200],
    [
      'the page of a host asked with its default port sends',
      { origin: 'http://192.0.2.9', host: '192.0.2.9:80' },
      200,
    ],
    ['the page of the host that was asked sends', { origin: 'http://192.0.2.9:8', host: '192.0.2.9:8' }, 200],
    ['no browser sends', {}, 200],
  ])('a form that %s', async (_what, headers, status) => {
    const email = `origem${visitor}@exemplo.com.br`
    const own = headers.origin === 'OWN' ? { origin: site.config.siteUrl } : headers
    for (const [type, body] of [
      [FORM_TYPE, new URLSearchParams({ email }).toString()],
      [JSON_TYPE, JSON.stringify({ email })],
    ] as const) {
      const response = await post(type, body, own)
      expect(response.statusCode).toBe(status)
      expect(response.body).toContain(status === 200 ? success : rejected)
    }
    expect((await stored()).includes(email)).toBe(status === 200)
  })

  test('returns 429 with Retry-After for a flood from one address, without affecting others', async () => {
    const flood = (email: string, address = '203.0.113.9') =>
      post(JSON_TYPE, JSON.stringify({ email }), { 'x-forwarded-for': address })
    const statuses: number[] = []
    for (let n = 0; n < 14; n++) statuses.push((await flood(`flood${n}@exemplo.com.br`)).statusCode)
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(4).fill(429)])
    const refused = await flood('flood-x@exemplo.com.br')
    expect(refused.json()).toEqual({ message: rejected })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect((await flood('vizinha@exemplo.com.br', '203.0.113.10')).statusCode).toBe(200)
    expect((await stored()).filter((email) => email.startsWith('flood'))).toHaveLength(10)
  })

  test.each([
    ['a port of its own each time', (n: number) => `203.0.113.77:${40_000 + n}`],
    ['an IPv6 port', (n: number) => `[2001:db8:77::${n.toString(16)}]:${40_000 + n}`],
    ['a text that is no address', (n: number) => `junk-${n}`],
  ])('%s counts as the same visitor', async (_what, address) => {
    await site.forgetLimits()
    const statuses: number[] = []
    for (let n = 0; n < 13; n++) {
      const headers = { 'x-forwarded-for': address(n) }
      statuses.push((await post(JSON_TYPE, '{"email":"porta@exemplo.com.br"}', headers)).statusCode)
    }
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(3).fill(429)])
  })

  test('counts one IPv6 network as one visitor', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) {
      const headers = { 'x-forwarded-for': `2001:db8:7:7::${n.toString(16)}` }
      statuses.push((await post(JSON_TYPE, '{"email":"ipv6@exemplo.com.br"}', headers)).statusCode)
    }
    expect(statuses.at(-1)).toBe(429)
  })

  test.each(['GET', 'PUT', 'DELETE'] as const)('%s returns 404 and does not redirect', async (method) => {
    expect((await site.app.inject({ method, url: '/api/newsletter' })).statusCode).toBe(404)
  })
})

test.each([JSON_TYPE, FORM_TYPE])('reports an unavailable database to %s', async (type) => {
  const database = await makeDatabase('sqlite')
  await sql`drop table newsletter_subscriptions`.execute(database.db)
  const app = Fastify()
  const log = createLogger('silent')
  let woken = false
  registerNewsletter(app, {
    db: database.db,
    guard: {
      limits: new PublicLimits({
        counter: new RateCounter(database.db, log),
        log,
        config: { trustProxy: false },
      }),
      siteUrl: 'http://localhost',
    },
    renderAnswer: (message) => `<p>${message}</p>`,
    onStored: () => {
      woken = true
    },
    onSubscribed: async () => {
      throw new Error('away')
    },
  })
  const payload = type === JSON_TYPE ? '{"email":"ana@exemplo.com.br"}' : 'email=ana%40exemplo.com.br'
  const response = await app.inject({
    method: 'POST',
    url: '/api/newsletter',
    payload,
    headers: { 'content-type': type },
  })
  expect(response.statusCode).toBe(500)
  expect(response.body).toBe(
    type === JSON_TYPE ? JSON.stringify({ message: rejected }) : `<p>${rejected}</p>`,
  )
  expect(woken).toBe(false)
  await app.close()
  await database.close()
})
