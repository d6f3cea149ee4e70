import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { reportTotals } from '#tests/support/report-totals.ts'
import { storedObservations } from '#tests/support/stored-counts.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'

const CONSENT = {
  id: randomUUID(),
  action: 'save',
  categories: ['desempenho'],
  text_version: 1,
  tag_set_version: 'abc',
}

describe.each(TIER_ENGINES)('public endpoints, on %s', (engine) => {
  let site: TestApp
  let pixel: string
  let other: string
  let inactive: string
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true, env: { TRUST_PROXY: 'true' } })
    const { db } = site.database
    pixel = await insertPixel(db, {
      type: 'custom',
      code: '<script>load("https://a.vendor.com/t.js")</script>',
    })
    other = await insertPixel(db, { type: 'meta' })
    inactive = await insertPixel(db, { type: 'meta', is_active: false })
    await vi.waitFor(async () => {
      const page = await fetch(site.url)
      const policy = page.headers.get('content-security-policy')
      for (const host of ['https://a.vendor.com', 'https://connect.facebook.net'])
        expect(policy).toContain(host)
    }, 30_000)
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.forgetLimits()
    for (const table of ['counts', 'tag_last_seen', 'blocked_hosts', 'consent_records'] as const) {
      await site.database.db.deleteFrom(table).execute()
    }
  })

  const post = (path: string, payload: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(site.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof payload === 'string' ? payload : JSON.stringify(payload),
    })
  const stored = (table: 'counts' | 'blocked_hosts' | 'consent_records') =>
    site.database.db.selectFrom(table).selectAll().execute()

  describe('a consent record', () => {
    test('contains nothing about the person', async () => {
      expect((await post('/api/consent', CONSENT)).status).toBe(204)
      const [record] = await stored('consent_records')
      expect(record).toMatchObject({ consent_id: CONSENT.id, action: 'save', categories: ['desempenho'] })
      expect(JSON.stringify(record)).not.toContain('127.0.0.1')
    })

    test('is stored and counted once when the page sends it again', async () => {
      const record = { ...CONSENT, record_id: randomUUID(), action: 'reject', categories: [] }
      for (const _attempt of [1, 2, 3]) expect((await post('/api/consent', record)).status).toBe(204)
      // At once they are stored by one statement, with choices of others.
      const others = Array.from({ length: 5 }, () => ({
        ...CONSENT,
        record_id: randomUUID(),
        id: randomUUID(),
      }))
      const answers = await Promise.all(
        [record, ...others, record, ...others].map((each) => post('/api/consent', each)),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
      expect(await stored('consent_records')).toHaveLength(6)
      await vi.waitFor(async () => {
        const counts = (await stored('counts')) as { key: string; resolution: string; count: number }[]
        const refused = counts.filter(
          ({ key, resolution }) => key === 'choice:refused' && resolution === 'day',
        )
        expect(refused.map(({ count }) => count)).toEqual([1])
      }, 30_000)
    })

    test('names a category once, however often it was sent', async () => {
      const categories = ['marketing', 'desempenho', 'marketing']
      expect((await post('/api/consent', { ...CONSENT, categories })).status).toBe(204)
      expect((await stored('consent_records'))[0]).toMatchObject({ categories: ['marketing', 'desempenho'] })
    })

    test.each([
      ['no body', ''],
      ['another action', { ...CONSENT, action: 'x' }],
      ['a category that cannot be refused', { ...CONSENT, categories: ['essenciais'] }],
      ['an id that is not random', { ...CONSENT, id: 'me@example.com' }],
      ['a version with words in it', { ...CONSENT, tag_set_version: 'my name is' }],
    ])('is refused with %s', async (_name, body) => {
      expect((await post('/api/consent', body)).status).toBe(400)
      expect(await stored('consent_records')).toEqual([])
    })
  })

  describe('a tag report', () => {
    test('is counted per pixel, and only for active tags', async () => {
      const results = [
        { id: pixel, outcome: 'ran' },
        { id: pixel, outcome: 'ran' },
        { id: other, outcome: 'failed', error: ' Boom\n\u0000 \u202e<b>'.padEnd(500, 'x') },
        { id: inactive, outcome: 'ran' },
        { id: randomUUID(), outcome: 'ran' },
        { id: '', outcome: 'blocked' },
      ]
      expect((await post('/api/tags/report', { results })).status).toBe(204)
      await post('/api/tags/report', { results: [{ id: pixel, outcome: 'blocked' }] })
      const totals = await vi.waitFor(async () => {
        const found = await reportTotals(site.database.db)
        expect(found.get(pixel)?.blocked).toBe(1)
        // Errors are written beside the counts.
        expect(found.get(other)?.last_error).toMatch(/^Boom <b>x{192}$/)
        return found
      }, 30_000)
      expect([...totals.keys()].sort()).toEqual([pixel, other].sort())
      expect(totals.get(pixel)).toMatchObject({ ran: 1, failed: 0 })
      expect(totals.get(other)).toMatchObject({ ran: 0, failed: 1 })
    })

    test.each([
      ['not JSON', '{'],
      ['not a report', { results: 'x' }],
      ['an unknown outcome', { results: [{ id: 'x', outcome: 'won' }] }],
      ['too many results', { results: Array.from({ length: 501 }, () => ({ id: 'x', outcome: 'ran' })) }],
    ])('is refused when it is %s', async (_name, body) => {
      expect((await post('/api/tags/report', body)).status).toBe(400)
    })
  })

  describe('observations of a visit', () => {
    const evidence = async () =>
      (await storedObservations(site.database.db)).map(({ revision: _revision, ...seen }) => seen)

    test('count for the tag set that the page ran, and only for hosts in its policy', async () => {
      const set = /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text())?.[1]
      const result = {
        id: other,
        outcome: 'ran',
        hit: 'sent',
      }
      const hosts = {
        'connect.facebook.net': 'answered',
        'evil.example.com': 'answered',
        'x.y': 'sent',
        __proto__: 'sent',
      }
      const report = (body: object) => post('/api/tags/report', { results: [result, result], hosts, ...body })
      expect((await report({ set: 'another' })).status).toBe(204)
      expect((await report({})).status).toBe(204)
      expect(
        (await report({ set, conversion: { name: 'lead', ids: [other, other, inactive] } })).status,
      ).toBe(204)
      expect((await report({ set, results: [{ ...result, hit: 'won' }] })).status).toBe(400)
      await vi.waitFor(async () => {
        const rows = await evidence()
        expect(
          rows.map(({ pixel_id, ...row }) => [pixel_id === other, Object.values(row).join(' ')]).sort(),
        ).toEqual(
          [
            'conversion:lead called 1',
            'hit sent 1',
            'host:connect.facebook.net answered 1',
            'visit ran 1',
          ].map((row) => [true, row]),
        )
      }, 30_000)
    })
  })

  describe('violations that the page noticed', () => {
    const setNow = async () => /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text())?.[1]
    const visit = async (stopped: object[], set?: string) =>
      post('/api/tags/report', {
        set: set ?? (await setNow()),
        results: [{ id: other, outcome: 'ran', hit: 'none' }],
        sees_all: true,
        stopped,
      })
    const seen = async (what: string) =>
      (await storedObservations(site.database.db)).filter(({ subject }) => subject === what)
    const hits = () => seen('hit')
    /** Counts are written after the hosts: wait for them, or they would count in the next test. */
    const untilCounted = (visits: number) =>
      vi.waitFor(async () => {
        const counts = (await seen('visit')).map(({ count }) => count)
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(visits)
      }, 30_000)

    test('are stored for their pixel, with images and frames, and counted once with the browser’s report', async () => {
      const stopped = { host: 'pixel.facebook.com', directive: 'img-src' }
      await visit([stopped, { host: 'frame.facebook.com', directive: 'frame-src' }, stopped])
      await vi.waitFor(async () => {
        const rows = (await stored('blocked_hosts')) as { host: string; pixel_id: string; count: number }[]
        expect(rows.map(({ host, pixel_id, count }) => [host, pixel_id === other, count]).sort()).toEqual([
          ['frame.facebook.com', true, 1],
          ['pixel.facebook.com', true, 1],
        ])
      }, 30_000)
      await visit([stopped])
      await visit([{ host: 'a.unknown-vendor.com', directive: 'connect-src', source: 'a.vendor.com' }])
      await vi.waitFor(async () => {
        const rows = (await stored('blocked_hosts')) as { host: string; pixel_id: string; count: number }[]
        expect(rows).toHaveLength(3)
        expect(rows.find(({ host }) => host === 'pixel.facebook.com')?.count).toBe(1)
        expect(rows.find(({ host }) => host === 'a.unknown-vendor.com')?.pixel_id).toBe(pixel)
      }, 30_000)
      await untilCounted(3)
    })

    test('name the host of a socket, which an https entry does not open', async () => {
      await visit([
        { host: 'wss://gateway.facebook.com', directive: 'connect-src' },
        { host: 'wss://www.facebook.com', directive: 'connect-src' },
        { host: 'https://www.facebook.com', directive: 'connect-src' },
        { host: 'ws://plain.facebook.com', directive: 'connect-src' },
        { host: 'wss://port.facebook.com:8443', directive: 'connect-src' },
        { host: 'wss://localhost', directive: 'connect-src' },
      ])
      await vi.waitFor(async () => {
        const rows = (await stored('blocked_hosts')) as { host: string; pixel_id: string }[]
        expect(rows.map(({ host, pixel_id }) => [host, pixel_id === other]).sort()).toEqual([
          ['gateway.facebook.com', true],
          ['www.facebook.com', true],
        ])
      }, 30_000)
      await untilCounted(1)
    })

    test.each<[string, object[], number]>([
      ['another tag’s', [{ host: 'x.vendor.com', directive: 'img-src', source: 'a.vendor.com' }], 1],
      ['nobody’s', [{ host: 'x.nobody-knows.com', directive: 'img-src' }], 0],
      ['its vendor’s', [{ host: 'pixel.facebook.com', directive: 'img-src' }], 0],
      ['what cannot be allowed', [{ host: 'pixel.facebook.com', directive: 'style-src' }], 0],
    ])('absence counts only beside what was stopped of %s', async (_whose, stopped, count) => {
      await visit(stopped)
      await untilCounted(1)
      expect(await hits()).toHaveLength(count)
    })

    test('are ignored from a page of another set, and for what cannot be permitted', async () => {
      await visit([{ host: 'pixel.facebook.com', directive: 'img-src' }], 'another')
      for (const host of ['10.0.0.1', 'localhost', 'a b', 'x/y.com', '*.facebook.com', 'www.facebook.com'])
        expect((await visit([{ host, directive: 'img-src' }])).status, host).toBe(204)
      expect((await visit(Array(41).fill({ host: 'a.com', directive: 'img-src' }))).status).toBe(400)
      await visit([{ host: 'last.facebook.com', directive: 'img-src' }])
      await vi.waitFor(async () => {
        const hosts = (await stored('blocked_hosts')) as { host: string }[]
        expect(hosts.map(({ host }) => host)).toEqual(['last.facebook.com'])
      }, 30_000)
    })
  })

  describe('a policy report', () => {
    const report = (fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
      post(
        '/api/csp-report',
        {
          'csp-report': {
            'document-uri': `${site.config.siteUrl}/`,
            'effective-directive': 'connect-src',
            'blocked-uri': 'https://new.vendor.com/path?with=data',
            ...fields,
          },
        },
        { 'content-type': 'application/csp-report', ...headers },
      )
    const fileOf = async (id: string): Promise<string> => {
      const version = /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text())?.[1]
      const manifest = await (await fetch(`${site.url}/tags/${version}.js`)).text()
      const tags: ManifestTag[] = JSON.parse(manifest.replace('export const tags=', ''))
      return tags.find((tag) => tag.id === id)?.steps[0]?.src ?? ''
    }

    test('stores the host with a count and the pixel whose file it came from', async () => {
      const source = site.config.siteUrl + (await fileOf(pixel))
      expect((await report({ 'source-file': source })).status).toBe(204)
      await report({ 'source-file': source, 'blocked-uri': 'https://new.vendor.com/other' })
      await vi.waitFor(async () => {
        expect(await stored('blocked_hosts')).toMatchObject([
          { host: 'new.vendor.com', pixel_id: pixel, count: 2 },
        ])
      }, 30_000)
      expect(JSON.stringify(await stored('blocked_hosts'))).not.toMatch(/with=data|path/)
    })

    test.each<[string, string | undefined, () => string | null]>([
      ['a script of that vendor', 'https://connect.facebook.net/en_US/fbevents.js', () => other],
      ['a host that the code names', 'https://a.vendor.com/x.js', () => pixel],
      ['somewhere else', 'https://elsewhere.example.com/x.js', () => null],
      ['nowhere', undefined, () => null],
    ])('is attributed to the right tag when it comes from %s', async (_name, source, expected) => {
      await report({ 'source-file': source })
      await vi.waitFor(
        async () => expect(await stored('blocked_hosts')).toMatchObject([{ pixel_id: expected() }]),
        30_000,
      )
    })

    test('is attributed to the only pixel of the host’s vendor, and ignored once the page allows it', async () => {
      await report({ 'blocked-uri': 'https://www.facebook.com/tr', 'effective-directive': 'img-src' })
      await report({ 'blocked-uri': 'https://pixel.facebook.com/tr', 'effective-directive': 'img-src' })
      await vi.waitFor(
        async () =>
          expect(await stored('blocked_hosts')).toMatchObject([
            { host: 'pixel.facebook.com', pixel_id: other },
          ]),
        30_000,
      )
    })

    test('names the host of a socket', async () => {
      const source = site.config.siteUrl + (await fileOf(pixel))
      await report({ 'source-file': source, 'blocked-uri': 'wss://a.vendor.com/live?key=1' })
      await vi.waitFor(async () => {
        expect(await stored('blocked_hosts')).toMatchObject([{ host: 'a.vendor.com', pixel_id: pixel }])
      }, 30_000)
    })

    const SHAPELESS = ['null', '[]', '"x"', '{"csp-report":null}', '{"csp-report":[1]}']
    const FORGOTTEN: [string, Record<string, unknown>][] = [
      ['our own host', { 'blocked-uri': 'http://localhost/admin' }],
      ['an address', { 'blocked-uri': 'https://10.0.0.1/' }],
      ['an IPv6 address', { 'blocked-uri': 'https://[::1]/' }],
      ['a wildcard', { 'blocked-uri': 'https://*.vendor.com/' }],
      ['a single label', { 'blocked-uri': 'https://intranet/' }],
      ['a port', { 'blocked-uri': 'https://a.com:22/' }],
      ['plain http', { 'blocked-uri': 'http://new.vendor.com/' }],
      ['a plain socket', { 'blocked-uri': 'ws://new.vendor.com/' }],
      ['inline code', { 'blocked-uri': 'inline' }],
      ['not a text', { 'blocked-uri': { a: 1 } }],
      ['another page', { 'document-uri': 'https://evil.example.com/' }],
      ['a page without tags', { 'document-uri': 'http://localhost/privacidade' }],
      ['a directive that allowing would not open', { 'effective-directive': 'style-src' }],
      ['an extension', { 'source-file': 'chrome-extension://abc/x.js' }],
    ]

    test('is ignored when nothing in it can be permitted', async () => {
      for (const [about, fields] of FORGOTTEN)
        expect((await report(fields, { 'x-forwarded-for': '192.0.2.1' })).status, about).toBe(204)
      for (const body of SHAPELESS) {
        const answer = await post('/api/csp-report', body, { 'content-type': 'application/csp-report' })
        expect(answer.status, body).toBe(204)
      }
      // A valid report sent last is stored last: the others would be stored by then.
      await report({ 'blocked-uri': 'https://last.vendor.com/' })
      await vi.waitFor(async () => {
        const hosts = (await stored('blocked_hosts')) as { host: string }[]
        expect(hosts.map(({ host }) => host)).toEqual(['last.vendor.com'])
      }, 30_000)
    })

    test('fills a small list at most when forged in masses', async () => {
      const { db } = site.database
      for (let index = 0; index < 55; index++) {
        await report({ 'blocked-uri': `https://h${index}.forged.com/` })
      }
      const source = site.config.siteUrl + (await fileOf(pixel))
      await report({ 'blocked-uri': 'https://last.vendor.com/', 'source-file': source })
      await vi.waitFor(async () => {
        const hosts = await db.selectFrom('blocked_hosts').select('pixel_id').execute()
        expect(hosts.filter(({ pixel_id }) => pixel_id === pixel)).toHaveLength(1)
        expect(hosts.filter(({ pixel_id }) => pixel_id === null)).toHaveLength(50)
      }, 30_000)
    })
  })

  test.each(['/api/consent', '/api/tags/report', '/api/csp-report'])(
    '%s refuses other sites, large bodies, other types and too many calls',
    async (url) => {
      for (const from of ['cross-site', 'same-site'])
        expect((await post(url, CONSENT, { 'sec-fetch-site': from })).status, from).toBe(403)
      for (const origin of ['https://malvado.example', 'null', 'http://localhost:1'])
        expect((await post(url, CONSENT, { origin })).status, origin).toBe(403)
      for (const headers of [{ origin: site.config.siteUrl }, { 'sec-fetch-site': 'same-origin' }])
        expect((await post(url, CONSENT, headers)).status).not.toBe(403)
      expect((await post(url, `"${'x'.repeat(70_000)}"`)).status).toBe(413)
      expect((await post(url, '<a/>', { 'content-type': 'text/xml' })).status).toBe(415)
      let last = 0
      for (let call = 0; call < 70 && last !== 429; call++) last = (await post(url, {})).status
      expect(last).toBe(429)
    },
  )

  test('counts one network as one visitor, however many addresses it has', async () => {
    const call = async (address: string) =>
      (await post('/api/tags/report', {}, { 'x-forwarded-for': address })).status
    let last = 0
    for (let host = 1; host < 70 && last !== 429; host++) last = await call(`2001:db8:1:1::${host}`)
    expect(last).toBe(429)
    expect(await call('2001:db8:1:2::1')).not.toBe(429)
  })

  test('an unknown file waits for the next look at the database, and costs none of its own', async () => {
    const select = vi.spyOn(site.database.db, 'selectFrom')
    const looks = () => select.mock.calls.filter(([table]) => (table as string) === 'site_state').length
    const ask = async (name: string) => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          fetch(`${site.url}/tags/${name}${String(n).padStart(2, '0')}.js`),
        ),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
    }
    for (let round = 0; round < 3; round++) await ask(`unknown-${round}-AAA-`)
    // Each round waited for one look; requests that came a little later waited for one more.
    expect(looks()).toBeGreaterThanOrEqual(3)
    expect(looks()).toBeLessThanOrEqual(9)
    // No file is called like this: it does not wait for a look, which now fails.
    select.mockImplementation(() => {
      throw new Error('away')
    })
    await ask('short-')
    expect((await fetch(`${site.url}/tags/unknown-AAAAAAAA.js`)).status).toBe(500)
    select.mockRestore()
  })
})
