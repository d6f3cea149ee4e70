import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { TODAY_FIGURES, type Today } from '#contract/visit-results.ts'
import { countSubscriptions } from '#server/newsletter/subscriptions.ts'
import { addCounts } from '#server/stats/counts.ts'
import { readKeys } from '#tests/acceptance/auth-keys.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { storeSiteCounts } from '#tests/support/stored-counts.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { readToday } from './today.ts'

const ALL = ['desempenho', 'funcionalidade', 'marketing']

describe.each(TIER_ENGINES)('figures of today, on %s', (engine) => {
  let site: TestApp
  let version: string
  let headers: Record<string, string>
  let meta: string
  beforeAll(async () => {
    // Keeps the day from ending during the test.
    vi.useFakeTimers({ toFake: ['Date'] })
    site = await startTestApp({ engine, listen: true, env: { TRUST_PROXY: 'true', VISIT_COUNTS: 'on' } })
    const { db } = site.database
    // The database is a copy of one that may have been made before midnight.
    await db.updateTable('site_state').set({ counted_since: new Date().toISOString() }).execute()
    meta = await insertPixel(db, { type: 'meta', consent_category: 'marketing' })
    await insertPixel(db, {
      type: 'google_analytics',
      pixel_id: 'G-ABCDEF1234',
      consent_category: 'desempenho',
    })
    version = await vi.waitFor(async () => {
      const page = await fetch(site.url)
      for (const host of ['connect.facebook.net', 'googletagmanager.com'])
        expect(page.headers.get('content-security-policy')).toContain(host)
      return /data-tags="([^"]+)"/.exec(await page.text())?.[1] ?? ''
    }, 30_000)
    const { anon } = await readKeys(site)
    const answer = await fetch(`${site.url}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { apikey: anon, 'content-type': 'application/json' },
      body: JSON.stringify(PRINCIPAL),
    })
    const { access_token } = (await answer.json()) as { access_token: string }
    headers = { apikey: anon, authorization: `Bearer ${access_token}` }
  })
  afterAll(async () => {
    vi.useRealTimers()
    await site.close()
  })

  let visitors = 0
  const post = async (path: string, body: object) => {
    const answer = await fetch(site.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
        'x-forwarded-for': `192.0.2.${visitors++}`,
      },
      body: JSON.stringify(body),
    })
    expect(answer.ok).toBe(true)
  }
  const choose = (categories: string[], id: string = randomUUID(), set = version) =>
    post('/api/consent', {
      id,
      action: categories.length === 3 ? 'accept_all' : categories.length === 0 ? 'reject' : 'save',
      categories,
      text_version: 1,
      tag_set_version: set,
    })
  const report = (body: object) => post('/api/tags/report', { set: version, results: [], ...body })
  const ask = async () => (await fetch(`${site.url}/admin/api/today`, { headers })).json() as Promise<Today>
  const choicesOf = (today: Today) =>
    Object.fromEntries(
      TODAY_FIGURES.map((name) => [name, today[name].today]).filter(([, value]) => value !== undefined),
    )

  test('counts exactly what was done, and omits what could not be counted', async () => {
    expect((await fetch(`${site.url}/admin/api/today`)).status).toBe(401)
    const first = await ask()
    // Yesterday there was no site.
    expect(choicesOf(first)).toEqual(Object.fromEntries(TODAY_FIGURES.map((name) => [name, 0])))
    for (const { yesterday, days } of [first.choices, first.lead, first.subscriptions]) {
      expect(yesterday).toBeUndefined()
      expect(days.slice(0, 6)).toEqual([null, null, null, null, null, null])
    }
    expect(first.counted_since).not.toBeNull()

    for (let visit = 0; visit < 7; visit++) await choose(ALL)
    for (let visit = 0; visit < 4; visit++) await choose([])
    for (let visit = 0; visit < 2; visit++) await choose(['desempenho'])
    // Refuses, refuses again, then accepts: one visit, by its last choice.
    const fickle = randomUUID()
    await choose([], fickle)
    await choose([], fickle)
    await choose(ALL, fickle)
    await choose([], randomUUID(), '')
    // Clicks of everybody, twice by one visitor; conversions that need consent are counted apart.
    for (const name of ['lead', 'lead', 'lead', 'contact']) await post('/api/clicks', { name })
    await post('/api/views', {})
    await report({ conversion: { name: 'lead', ids: [meta] } })
    for (const name of ['ana', 'bia', 'caio'])
      await post('/api/newsletter', { email: `${name}@exemplo.com.br` })
    await post('/api/newsletter', { email: 'ANA@exemplo.com.br' })

    await vi.waitFor(
      async () =>
        expect(choicesOf(await ask())).toEqual({
          visits: 1,
          visitors: 1,
          choices: 15,
          accepted: 8,
          refused: 5,
          lead: 3,
          contact: 1,
          subscriptions: 3,
        }),
      30_000,
    )
  })

  test('uses days of the site, compares days up to the last ten minutes that ended, and has no visits of days before they were counted', async () => {
    const { db } = site.database
    // 14h27 in Brasília, three hours behind UTC.
    const now = Date.parse('2026-06-15T17:27:00.000Z')
    await db.updateTable('site_state').set({ counted_since: '2026-06-11T12:00:00.000Z' }).execute()
    const row = (slot: string, subject: string, count: number) => ({
      slot: `2026-06-${slot}:00.000Z`,
      subject,
      count,
    })
    await storeSiteCounts(db, [
      // The day on which counting began: not a whole day.
      row('11T20:00', 'choice:accepted', 50),
      row('12T20:00', 'choice:accepted', 9),
      // The last ten minutes of the 13th at the site, the first of the 14th.
      row('14T02:50', 'choice:refused', 2),
      row('14T03:00', 'choice:accepted', 3),
      row('14T17:10', 'choice:partial', 4),
      row('14T17:20', 'choice:accepted', 5),
      row('15T02:50', 'choice:accepted', 6),
      row('15T03:00', 'choice:accepted', 7),
      row('15T17:20', 'choice:refused', 8),
      row('15T17:20', 'choice:partial', -1),
    ])
    // Visits have been counted since the afternoon of the 13th.
    await db.deleteFrom('counts').where('series', '=', 'visit').execute()
    await addCounts(
      db,
      (
        [
          ['13T18:00', 'visits', 40],
          ['14T12:00', 'visits', 30],
          ['14T12:00', 'visitors', 25],
          ['14T12:00', 'click:lead', 2],
          ['14T17:20', 'visits', 10],
          ['15T12:00', 'visits', 20],
        ] as const
      ).map(([at, key, by]) => ({ series: 'visit', key, at: Date.parse(`2026-06-${at}:00.000Z`), by })),
    )
    await db
      .insertInto('newsletter_subscriptions')
      .values(
        ['14T17:19:59.999', '14T17:20:00.000', '15T03:00:00.000', '15T17:26:00.000', '15T02:59:59.999'].map(
          (at, index) => ({
            id: randomUUID(),
            email: `antigo${index}@exemplo.com.br`,
            status: 'delivered' as const,
            delivery_key: randomUUID(),
            next_attempt_at: '2026-06-15T00:00:00.000Z',
            created_at: `2026-06-${at}Z`,
          }),
        ),
      )
      .execute()
    const deps = { db, countSubscriptions: (spans: Spans) => countSubscriptions(db, spans) }
    const today = await readToday({ ...deps, countsVisits: true }, now)
    expect(today).toEqual({
      until: '2026-06-15T17:27:00.000Z',
      compared_until: '2026-06-15T17:20:00.000Z',
      dates: [
        '2026-06-09',
        '2026-06-10',
        '2026-06-11',
        '2026-06-12',
        '2026-06-13',
        '2026-06-14',
        '2026-06-15',
      ],
      counted_since: '2026-06-11T12:00:00.000Z',
      counts_visits: true,
      visits: figure(20, 30, [null, null, null, null, null, 40, 20], [null, null, null, null, null, 30, 20]),
      visitors: figure(0, 25, [null, null, null, null, null, 25, 0], [null, null, null, null, null, 25, 0]),
      choices: figure(14, 7, [null, null, null, 9, 2, 18, 14], [null, null, null, 0, 0, 7, 7]),
      accepted: figure(7, 3, [null, null, null, 9, 0, 14, 7], [null, null, null, 0, 0, 3, 7]),
      refused: figure(8, 0, [null, null, null, 0, 2, 0, 8], [null, null, null, 0, 0, 0, 0]),
      lead: figure(0, 2, [null, null, null, null, null, 2, 0], [null, null, null, null, null, 2, 0]),
      contact: figure(0, 0, [null, null, null, null, null, 0, 0], [null, null, null, null, null, 0, 0]),
      subscriptions: figure(2, 1, [null, null, 0, 0, 0, 3, 2], [null, null, 0, 0, 0, 1, 1]),
    })
    const { compared_until } = await readToday(
      { ...deps, countsVisits: true },
      Date.parse('2026-06-15T03:09:00.000Z'),
    )
    expect(compared_until).toBeNull()
    const off = await readToday({ ...deps, countsVisits: false }, now)
    expect(off).toMatchObject({ counts_visits: false, choices: today.choices })
    for (const name of ['visits', 'visitors', 'lead', 'contact'] as const)
      expect(off[name], name).toEqual({ days: NOTHING, days_until: NOTHING })
  })
})

const NOTHING = Array.from({ length: 7 }, () => null)

type Spans = Parameters<typeof countSubscriptions>[1]

function figure(today: number, yesterday: number, days: (number | null)[], days_until: (number | null)[]) {
  return { today, yesterday, days, days_until }
}
