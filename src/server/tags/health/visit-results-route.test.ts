import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { VisitResults } from '#contract/visit-results.ts'
import { readKeys } from '#tests/acceptance/auth-keys.ts'
import { ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { storeReports } from '#tests/support/stored-counts.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '#tests/support/test-app.ts'

const ALL = ['desempenho', 'funcionalidade', 'marketing']
const CUSTOM = '<script>load("https://a.vendor.com/t.js")</script>'

describe.each(ENGINES)('visit results of a pixel, on %s', (engine) => {
  let site: TestApp
  let version: string
  let headers: Record<string, string>
  /** Marketing, performance, one that is off, and one that is only a line in the head. */
  let ads: string
  let stats: string
  let off: string
  let head: string
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true, env: { TRUST_PROXY: 'true' } })
    const { db } = site.database
    ads = await insertPixel(db, { type: 'custom', code: CUSTOM, consent_category: 'marketing' })
    stats = await insertPixel(db, { type: 'meta', consent_category: 'desempenho' })
    off = await insertPixel(db, { type: 'meta', is_active: false })
    head = await insertPixel(db, {
      type: 'custom',
      code: '<meta name="google-site-verification" content="abcdefghijklmnopqrstuvwxyz0123456789abcdefg">',
    })
    version = await vi.waitFor(async () => {
      const page = await fetch(site.url)
      for (const host of ['https://a.vendor.com', 'https://connect.facebook.net'])
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
  afterAll(() => site.close())

  /** Each visitor has its own address, because limits are tested elsewhere. */
  let visitors = 0
  const post = async (path: string, body: object) => {
    const from = `192.0.${2 + (visitors >> 8)}.${visitors++ & 255}`
    const answer = await fetch(site.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(204)
  }
  const choose = (action: string, categories: string[], id: string = randomUUID(), set = version) =>
    post('/api/consent', { id, action, categories, text_version: 1, tag_set_version: set })
  const report = (...results: object[]) => post('/api/tags/report', { set: version, results })
  const get = (id: string, query = 'step=hour') =>
    fetch(`${site.url}/admin/api/pixels/${id}/ledger?${query}`, { headers })
  const totals = async (id: string) => {
    const { rows } = (await (await get(id)).json()) as VisitResults
    const sum = { offered: 0, not_consented: 0, blocked: 0, failed: 0, reached: 0 }
    for (const { from: _from, ...row } of rows)
      for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += row[key] ?? Number.NaN
    return sum
  }

  test('counts every visit of known traffic in one column', async () => {
    for (let visit = 0; visit < 7; visit++) await choose('reject', [])
    for (let visit = 0; visit < 3; visit++) await choose('save', ['desempenho'])
    // Refuses twice; refuses and then accepts; accepts and then withdraws.
    const twice = randomUUID()
    await choose('reject', [], twice)
    await choose('reject', [], twice)
    const later = randomUUID()
    await choose('reject', [], later)
    await choose('accept_all', ALL, later)
    await report({ id: ads, outcome: 'ran' }, { id: stats, outcome: 'ran', hit: 'sent' })
    const fickle = randomUUID()
    await choose('accept_all', ALL, fickle)
    await report({ id: ads, outcome: 'blocked' }, { id: stats, outcome: 'ran' })
    await choose('revoke', [], fickle)
    // Accepted on an earlier visit: no choice is made, and the tags run.
    await report({ id: ads, outcome: 'failed', error: 'Boom' }, { id: stats, outcome: 'stopped' })
    // A page without tags, and one of an unknown tag set, which counts as the current one.
    await choose('reject', [], randomUUID(), '')
    await choose('reject', [], randomUUID(), 'forgotten')
    // The tags of that set are unknown, so nothing is subtracted.
    const forgotten = randomUUID()
    await choose('reject', [], forgotten, 'forgotten')
    await choose('accept_all', ALL, forgotten, 'forgotten')

    await vi.waitFor(async () => {
      expect(await totals(ads)).toEqual({ offered: 16, not_consented: 13, blocked: 1, failed: 1, reached: 1 })
      expect(await totals(stats)).toEqual({
        offered: 13,
        not_consented: 10,
        blocked: 0,
        failed: 1,
        reached: 2,
      })
    }, 30_000)
    const nothing = { offered: 0, not_consented: 0, blocked: 0, failed: 0, reached: 0 }
    expect(await totals(off)).toEqual(nothing)
    expect(await totals(head)).toEqual(nothing)
    const stored = JSON.stringify(await site.database.db.selectFrom('counts').selectAll().execute())
    for (const id of [twice, later, fickle, '192.0.2']) expect(stored).not.toContain(id)
  })

  test('adds hours up to days of the site, and omits what was not counted', async () => {
    const { db } = site.database
    const id = await insertPixel(db, { type: 'meta', is_active: false })
    const row = (hour: string, not_consented: number | null, ran: number) => ({
      pixel_id: id,
      hour: `${hour}:00:00.000Z`,
      not_consented,
      ran,
      blocked: 1,
      failed: 0,
    })
    await storeReports(
      db,
      // The last hour of the 9th at the site, the first of the 10th; an hour from before refusals were counted; one not
      // settled yet.
      [
        row('2026-10-10T02', 2, 1),
        row('2026-10-10T03', 3, 5),
        row('2026-10-11T02', 1, 0),
        row('2026-10-08T15', null, 9),
        row('2026-10-08T16', 4, 0),
        row('2026-10-11T12', -1, 2),
        // The first hour after the range.
        row('2026-10-13T03', 7, 7),
      ],
    )
    const { rows, from, to } = (await (
      await get(id, 'step=day&from=2026-10-08&to=2026-10-12')
    ).json()) as VisitResults
    expect([from, to]).toEqual(['2026-10-08T03:00:00.000Z', '2026-10-13T03:00:00.000Z'])
    expect(rows).toEqual([
      { from: '2026-10-08T03:00:00.000Z', blocked: 2, failed: 0, reached: 9 },
      { from: '2026-10-09T03:00:00.000Z', offered: 4, not_consented: 2, blocked: 1, failed: 0, reached: 1 },
      { from: '2026-10-10T03:00:00.000Z', offered: 11, not_consented: 4, blocked: 2, failed: 0, reached: 5 },
      { from: '2026-10-11T03:00:00.000Z', offered: 3, not_consented: 0, blocked: 1, failed: 0, reached: 2 },
      { from: '2026-10-12T03:00:00.000Z', offered: 0, not_consented: 0, blocked: 0, failed: 0, reached: 0 },
    ])
  })

  test('ends with the current hour, refuses wrong ranges with a message, and is for administrators only', async () => {
    const { rows } = (await (await get(off, 'step=day&to=2099-01-01&from=2098-12-30')).json()) as VisitResults
    expect(rows).toEqual([])
    const bad = await get(off, 'step=week')
    expect([bad.status, (await bad.json()) as object]).toMatchObject([
      400,
      { message: expect.stringContaining('por hora') },
    ])
    expect((await get(randomUUID())).status).toBe(404)
    expect((await get('x')).status).toBe(404)
    const guest = await fetch(`${site.url}/admin/api/pixels/${off}/ledger`)
    expect(guest.status).toBe(401)
  })
})
