import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NEWSLETTER_MESSAGES } from '#contract/newsletter.ts'
import { HOURLY_CEILINGS, type Storable } from '#server/http/limits/limits.ts'
import { writeDocRow } from '../support/doc-table.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { type Answer, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const HERE = 'tests/acceptance/public-posts.test.ts'
const CONSENT = {
  id: randomUUID(),
  action: 'save',
  categories: ['desempenho'],
  text_version: 1,
  tag_set_version: 'abc',
}
/** Every public POST with a valid body. */
const POSTS: [string, unknown, number][] = [
  ['/api/newsletter', { email: 'ana@exemplo.com.br' }, 200],
  ['/api/consent', CONSENT, 204],
  ['/api/tags/report', { results: [] }, 204],
  ['/api/csp-report', {}, 204],
  ['/api/events', { id: randomUUID(), name: 'lead', path: '/' }, 204],
  ['/api/visits', { code: `v_${'0'.repeat(32)}` }, 204],
]

describe('public endpoints', () => {
  let site: TestApp
  let keys: AuthKeys
  beforeAll(async () => {
    site = await startTestApp({ env: { TRUST_PROXY: 'loopback' } })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())
  beforeEach(() => site.forgetLimits())
  afterEach(() => site.database.db.deleteFrom('newsletter_subscriptions').execute())

  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    call(site, { method: 'POST', path, body, headers })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const storedHits = async () =>
    Number(
      (
        await site.database.db
          .selectFrom('rate_windows')
          .select((eb) => eb.fn.sum<number>('count').as('hits'))
          .where('key', 'like', 'newsletter:address:%')
          .executeTakeFirstOrThrow()
      ).hits ?? 0,
    )

  test('A4: no spelling of an address is another visitor, and a refused call is not written', async () => {
    const spellings: [string, (n: number) => string][] = [
      ['a port', (n) => `203.0.113.9:${40_000 + n}`],
      ['an IPv6 port', (n) => `[2001:db8:9::1]:${40_000 + n}`],
      ['a mapped form', (n) => (n % 2 === 0 ? '::ffff:203.0.113.8' : '203.0.113.8')],
      ['another host of the /64', (n) => `2001:db8:8::${n.toString(16)}`],
      ['junk', (n) => `junk-${n}`],
    ]
    for (const [what, address] of spellings) {
      await site.forgetLimits()
      const statuses: number[] = []
      for (let n = 0; n < 40; n++)
        statuses.push((await post('/api/newsletter', { email: 'a@b.co' }, from(address(n)))).status)
      expect(statuses, what).toEqual([...Array(10).fill(200), ...Array(30).fill(429)])
      await site.flushLimits()
      expect(await storedHits(), what).toBe(10)
    }
    await site.forgetLimits()
    let passed = 0
    for (let n = 0; n < 1_400; n++) {
      const { status } = await post(
        '/api/newsletter',
        { email: 'a@b.co' },
        from(`2001:db8:5:${n.toString(16)}::1`),
      )
      if (status === 200) passed++
    }
    expect(passed).toBe(1_200)
    writeDocRow('docs/reports/attacks.md', 'fixed', [
      'A4',
      '40 subscriptions from one address, each time with another port, in brackets, IPv4-mapped, from another host of its /64, or with junk in `X-Forwarded-For`; 1,400 from as many /64 of one /48',
      '10 pass and 10 are counted, 30 get 429 and no write; 1,200 of the /48 pass',
      `\`${HERE}\``,
    ])
  })

  test('A5: accepts posts from our own pages only', async () => {
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'same-site', origin: site.config.siteUrl },
      { origin: 'https://malvado.example' },
      { origin: 'null' },
    ]
    const own = [{ 'sec-fetch-site': 'same-origin' }, { origin: site.config.siteUrl }, {}]
    for (const [path, body, good] of POSTS) {
      for (const headers of foreign) expect((await post(path, body, headers)).status, path).toBe(403)
      for (const headers of own) expect((await post(path, body, headers)).status, path).toBe(good)
    }
    const form = await site.app.inject({
      method: 'POST',
      url: '/api/newsletter',
      payload: 'email=sem-script%40exemplo.com.br',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: site.config.siteUrl },
    })
    expect(form.body).toContain(NEWSLETTER_MESSAGES.success)
    writeDocRow('docs/reports/attacks.md', 'fixed', [
      'A5a',
      'posts to the six public endpoints called `cross-site` or `same-site` by the browser, or with a foreign or null `Origin` and no fetch metadata',
      '403; our own page passes, a plain form without JavaScript too',
      `\`${HERE}\``,
    ])
  })

  test('A5: one rule for stored addresses, and old ones are still found', async () => {
    const bad = ['josé@exemplo.com.br', 'а@b.co', 'x\'"<b>@b.co', 'ana@exemplo..com', 'ana@192.0.2.1']
    const service = { apikey: keys.service, bearer: keys.service }
    const password = 'janela-verde-oceano-41'
    const ways: [string, (email: string) => Promise<Answer>][] = [
      ['newsletter', (email) => post('/api/newsletter', { email })],
      [
        'admin_users',
        (email) =>
          call(site, {
            method: 'POST',
            path: '/rest/v1/admin_users',
            body: { email, password, role: 'admin' },
            ...service,
          }),
      ],
      [
        'auth admin',
        (email) =>
          call(site, { method: 'POST', path: '/auth/v1/admin/users', body: { email, password }, ...service }),
      ],
      [
        'invite',
        (email) => call(site, { method: 'POST', path: '/auth/v1/invite', body: { email }, ...service }),
      ],
    ]
    for (const [way, send] of ways)
      for (const email of bad) expect((await send(email)).status, `${way}: ${email}`).toBeOneOf([400, 422])
    const [legacy] = await site.database.db.selectFrom('auth_users').select(['id', 'email']).execute()
    const rename = (email: string) =>
      site.database.db
        .updateTable('auth_users')
        .set({ email })
        .where('id', '=', legacy?.id ?? '')
        .execute()
    await rename('josé@exemplo.com.br')
    const signIn = await call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: { email: 'José@exemplo.com.br', password: PRINCIPAL.password },
    })
    expect(signIn.status).toBe(200)
    const recover = await call(site, {
      method: 'POST',
      path: '/auth/v1/recover',
      apikey: keys.anon,
      body: { email: 'josé@exemplo.com.br' },
    })
    expect(recover.status).toBe(200)
    for (const [body, status] of [
      [{ role: 'admin' }, 204],
      [{ email: 'josé@exemplo.com.br', role: 'super_admin' }, 204],
      [{ email: 'joão@exemplo.com.br' }, 400],
    ] as const) {
      const path = `/rest/v1/admin_users?id=eq.${legacy?.id}`
      expect((await call(site, { method: 'PATCH', path, body, ...service })).status).toBe(status)
    }
    await rename(legacy?.email ?? '')
    writeDocRow('docs/reports/attacks.md', 'fixed', [
      'A5b',
      '`josé@…`, a Cyrillic `а@b.co`, `x\'"<b>@b.co` and other odd addresses, for a subscription, an administrator, a user, an invitation',
      'refused in every place by one rule; an account that had such an address before signs in, recovers its password and can be edited',
      `\`${HERE}\``,
    ])
  })

  test('A6: stores nothing beyond the hourly ceiling, and returns 429', async () => {
    const full = (what: Storable) =>
      site.database.db
        .insertInto('rate_windows')
        .values({
          key: `${what}:everybody`,
          count: HOURLY_CEILINGS[what].max,
          expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        })
        .execute()
    for (const what of ['newsletter', 'consent', 'tag-report'] as const) await full(what)
    // This process sees the others' counts with its next flush.
    for (const [path, body] of POSTS) await post(path, body)
    await site.flushLimits()
    const count = async (table: 'newsletter_subscriptions' | 'consent_records') =>
      (await site.database.db.selectFrom(table).select('id').execute()).length
    const before = [await count('newsletter_subscriptions'), await count('consent_records')]
    const subscription = await post('/api/newsletter', { email: 'outra@exemplo.com.br' })
    expect(subscription).toMatchObject({ status: 429, body: { message: NEWSLETTER_MESSAGES.rejected } })
    expect(Number(subscription.headers['retry-after'])).toBeGreaterThan(3_000)
    expect(await post('/api/consent', CONSENT)).toMatchObject({
      status: 429,
      body: { error: 'not_recorded' },
    })
    expect((await post('/api/tags/report', { results: [] })).status).toBe(429)
    expect([await count('newsletter_subscriptions'), await count('consent_records')]).toEqual(before)
    writeDocRow('docs/reports/attacks.md', 'fixed', [
      'A6',
      'subscriptions, consent records and tag reports from anywhere, after the hourly ceiling for all callers was reached',
      '429 with `Retry-After`, nothing stored, one line in the log; a choice about cookies still holds in the browser, and the answer says that it was not recorded',
      `\`${HERE}\``,
    ])
  })
})
