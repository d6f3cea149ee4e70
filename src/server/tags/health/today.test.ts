import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Today, TodayFigureName } from '#contract/visit-results.ts'
import { countSubscriptions } from '#server/newsletter/subscriptions.ts'
import { readKeys } from '#tests/acceptance/auth-keys.ts'
import { ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { storeSiteCounts } from '#tests/support/stored-counts.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { readToday } from './today.ts'

const ALL = ['desempenho', 'funcionalidade', 'marketing']

describe.each(ENGINES)('the figures of today, on %s', (engine) => {
  let site: TestApp
  let version: string
  let headers: Record<string, string>
  let meta: string
  let analytics: string
  beforeAll(async () => {
    // The day does not end meanwhile.
    vi.useFakeTimers({ toFake: ['Date'] })
    site = await startTestApp({ engine, listen: true, env: { TRUST_PROXY: 'true' } })
    const { db } = site.database
    meta = await insertPixel(db, { type: 'meta', consent_category: 'marketing' })
    analytics = await insertPixel(db, {
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
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${visitors++}` },
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
  const click = (name: string, ...ids: string[]) => report({ conversion: { name, ids } })
  const ask = async () => (await fetch(`${site.url}/admin/api/today`, { headers })).json() as Promise<Today>
  const told = (today: Today) =>
    Object.fromEntries(
      (['choices', 'accepted', 'refused', 'lead', 'contact', 'subscriptions'] as TodayFigureName[]).map(
        (name) => [name, today[name].today],
      ),
    )

  test('every figure is what was done, and what nobody could count is absent', async () => {
    expect((await fetch(`${site.url}/admin/api/today`)).status).toBe(401)
    const first = await ask()
    // Nobody came who could have told of a click, and yesterday there was no site.
    expect(told(first)).toEqual({ choices: 0, accepted: 0, refused: 0, subscriptions: 0 })
    for (const { yesterday, days } of [first.choices, first.lead, first.subscriptions]) {
      expect(yesterday).toBeUndefined()
      expect(days.slice(0, 6)).toEqual([null, null, null, null, null, null])
    }
    expect(first.counted_since).not.toBeNull()

    for (let visit = 0; visit < 7; visit++) await choose(ALL)
    for (let visit = 0; visit < 4; visit++) await choose([])
    for (let visit = 0; visit < 2; visit++) await choose(['desempenho'])
    // Refuses, says so again, and then accepts: one visit, by its last choice.
    const fickle = randomUUID()
    await choose([], fickle)
    await choose([], fickle)
    await choose(ALL, fickle)
    await choose([], randomUUID(), '')
    // Three visits told how their tags did; clicks are counted once however many vendors heard of them.
    for (let visit = 0; visit < 3; visit++) await report({ results: [{ id: meta, outcome: 'ran' }] })
    await click('lead', meta, analytics)
    await click('lead', analytics)
    await click('lead', meta)
    await click('contact', meta)
    // The rest of the same click, told by another tag.
    await report({ conversion: { name: 'contact', ids: [analytics], is_more: true } })
    await click('sign_up', meta)
    // Forged: of a set that nobody runs, and of a pixel that is none.
    await click('lead', randomUUID())
    await report({ set: 'forgotten', conversion: { name: 'lead', ids: [meta] } })
    for (const name of ['ana', 'bia', 'caio'])
      await post('/api/newsletter', { email: `${name}@exemplo.com.br` })
    await post('/api/newsletter', { email: 'ANA@exemplo.com.br' })

    await vi.waitFor(
      async () =>
        expect(told(await ask())).toEqual({
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

  test('days are the site’s, yesterday ends at the same ten minutes, and a day without a told visit has no clicks', async () => {
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
      // Of the day in which counting began: not a whole one.
      row('11T20:00', 'choice:accepted', 50),
      row('12T20:00', 'choice:accepted', 9),
      // The last ten minutes of the 13th at the site, the first of the 14th.
      row('14T02:50', 'choice:refused', 2),
      row('14T03:00', 'choice:accepted', 3),
      row('14T17:20', 'choice:partial', 4),
      row('14T17:30', 'choice:accepted', 5),
      row('15T02:50', 'choice:accepted', 6),
      row('15T03:00', 'choice:accepted', 7),
      row('15T17:20', 'choice:refused', 8),
      row('15T17:20', 'choice:partial', -1),
      row('14T17:20', 'told', 1),
      row('14T12:00', 'conversion:lead', 2),
      row('13T12:00', 'told', 1),
      row('13T12:00', 'conversion:contact', 1),
    ])
    await db
      .insertInto('newsletter_subscriptions')
      .values(
        ['14T17:29:59.999', '14T17:30:00.000', '15T03:00:00.000', '15T17:26:00.000', '15T02:59:59.999'].map(
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
    const today = await readToday({ db, countSubscriptions: (spans) => countSubscriptions(db, spans) }, now)
    expect(today).toEqual({
      until: '2026-06-15T17:27:00.000Z',
      yesterday_until: '2026-06-14T17:30:00.000Z',
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
      choices: { today: 14, yesterday: 7, days: [null, null, null, 9, 2, 18, 14] },
      accepted: { today: 7, yesterday: 3, days: [null, null, null, 9, 0, 14, 7] },
      refused: { today: 8, yesterday: 0, days: [null, null, null, 0, 2, 0, 8] },
      lead: { yesterday: 2, days: [null, null, null, null, 0, 2, null] },
      contact: { yesterday: 0, days: [null, null, null, null, 1, 0, null] },
      subscriptions: { today: 2, yesterday: 1, days: [null, null, 0, 0, 0, 3, 2] },
    })
  })
})
