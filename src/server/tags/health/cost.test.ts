import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PixelCost } from '#contract/tag-cost.ts'
import type { Today } from '#contract/visit-results.ts'
import { sweepCounts } from '#server/stats/counts.ts'
import { readKeys } from '#tests/acceptance/auth-keys.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { storedObservations } from '#tests/support/stored-counts.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { costStep, readP75 } from './cost.ts'

test.each([
  [0, 0],
  [4, 0],
  [5, 5],
  [99, 80],
  [100, 100],
  [499, 400],
  [500, 500],
  [59_999, 50_000],
  [60_000, 60_000],
])('counts %i ms as %i', (ms, step) => {
  expect(costStep(ms)).toBe(step)
})

test.each<[string, [number, number][], number | null]>([
  ['no visit', [], null],
  ['one visit', [[120, 1]], 120],
  [
    'three of four without',
    [
      [500, 1],
      [0, 3],
    ],
    0,
  ],
  [
    'two of four without',
    [
      [500, 2],
      [0, 2],
    ],
    500,
  ],
  [
    'a hundred',
    [
      [10, 50],
      [20, 24],
      [30, 1],
      [40, 25],
    ],
    30,
  ],
])('the 75th percentile of %s', (_name, counts, expected) => {
  expect(readP75(new Map(counts))).toBe(expected)
})

describe.each(TIER_ENGINES)('costs of tags, on %s', (engine) => {
  let site: TestApp
  let set: string
  let slow: string
  let quick: string
  let headers: Record<string, string>
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true, env: { TRUST_PROXY: 'true' } })
    slow = await insertPixel(site.database.db, { type: 'meta' })
    quick = await insertPixel(site.database.db, { type: 'google_analytics', pixel_id: 'G-ABCDEF1234' })
    set = await vi.waitFor(async () => {
      const page = await fetch(site.url)
      for (const host of ['connect.facebook.net', 'googletagmanager.com'])
        expect(page.headers.get('content-security-policy')).toContain(host)
      return /data-tags="([^"]+)"/.exec(await page.text())?.[1] ?? ''
    }, 30_000)
    const { service } = await readKeys(site)
    headers = { apikey: service, authorization: `Bearer ${service}` }
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    await site.forgetLimits()
    await site.database.db.deleteFrom('counts').execute()
  })

  let visitors = 0
  const report = async (body: object, address = `192.0.2.${visitors++}`) =>
    (
      await fetch(`${site.url}/api/tags/report`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify({ set, ...body }),
      })
    ).status
  const ran = (id: string, ms?: number, requests = 3) =>
    ms === undefined ? { id, outcome: 'ran' } : { id, outcome: 'ran', ms, requests }
  const get = async <Answer>(path: string) =>
    (await fetch(`${site.url}/admin/api${path}`, { headers })).json() as Promise<Answer>
  const costOf = (id: string) => get<PixelCost>(`/pixels/${id}/cost`)
  /** Waits for the last write, so that nothing is written during the next test. */
  const visitsOf = async (id: string) => {
    const rows = await storedObservations(site.database.db)
    return rows
      .filter(({ pixel_id, subject }) => pixel_id === id && subject === 'visit')
      .reduce((sum, { count }) => sum + count, 0)
  }

  test('are reported from measured visits, per tag and in total', async () => {
    for (const [ms, other, rest] of [
      [0, 0, 0],
      [130, 0, 45],
      [260, 61, 20],
      [900, 7, 300],
    ] as const)
      expect(
        await report({ results: [ran(slow, ms, ms / 10), ran(quick, other, 2)], unattributed_ms: rest }),
      ).toBe(204)
    // Not measured: another browser, or the other nine of ten visits.
    for (let n = 0; n < 10; n++) await report({ results: [ran(slow), ran(quick)] })
    const all = { visits: 4, ms: 300, unattributed_ms: 40 }
    await vi.waitFor(async () => {
      expect(await costOf(slow)).toEqual({ own: { visits: 4, ms: 250, requests: 26 }, all })
      expect(await costOf(quick)).toEqual({ own: { visits: 4, ms: 6, requests: 2 }, all })
      expect((await get<Today>('/today')).cost).toEqual(all)
      expect([await visitsOf(slow), await visitsOf(quick)]).toEqual([14, 14])
    }, 30_000)
  })

  test('are absent, not zero, where nothing was measured', async () => {
    await report({ results: [ran(slow)] })
    await vi.waitFor(async () => {
      const rows = await storedObservations(site.database.db)
      expect(rows.map(({ subject }) => subject)).toEqual(['visit'])
    }, 30_000)
    expect(await costOf(slow)).toEqual({ own: null, all: null })
    expect(await get<Today>('/today')).not.toHaveProperty('cost')
    const missing = await fetch(`${site.url}/admin/api/pixels/${randomUUID()}/cost`, { headers })
    expect(missing.status).toBe(404)
    expect((await fetch(`${site.url}/admin/api/pixels/${slow}/cost`)).status).toBe(401)
  })

  test.each([
    ['more than a minute', { results: [{ id: 'x', outcome: 'ran', ms: 60_001 }] }],
    ['less than nothing', { results: [{ id: 'x', outcome: 'ran', ms: -1 }] }],
    ['a part of a millisecond', { results: [{ id: 'x', outcome: 'ran', ms: 1.5 }] }],
    ['a word', { results: [{ id: 'x', outcome: 'ran', requests: '3' }] }],
    ['too many requests', { results: [{ id: 'x', outcome: 'ran', requests: 60_001 }] }],
    ['too much that is nobody’s', { results: [], unattributed_ms: 1e300 }],
  ])('refuses a report with %s', async (_name, body) => {
    expect(await report(body)).toBe(400)
  })

  test('counts three visits per address, a tag once per report, and no other tag set', async () => {
    for (let n = 0; n < 20; n++)
      await report({ results: [ran(slow, 60_000), ran(slow, 60_000)], unattributed_ms: 0 }, '198.51.100.7')
    await report({ results: [ran(slow, 60_000)], set: 'another', unattributed_ms: 0 })
    await report({ results: [ran(quick, 0)], unattributed_ms: 0 })
    // Costs per tag and in total are written one after the other.
    await vi.waitFor(async () => {
      expect((await costOf(quick)).own?.visits).toBe(1)
      expect(await costOf(slow)).toMatchObject({ own: { visits: 3 }, all: { visits: 4 } })
      expect([await visitsOf(slow), await visitsOf(quick)]).toEqual([20, 1])
    }, 30_000)
  })

  test('drops and deletes costs older than three days', async () => {
    await report({ results: [ran(slow, 100)], unattributed_ms: 0 })
    // Both tables have it: they are written one after the other.
    const counted = { own: { visits: 1 }, all: { visits: 1 } }
    await vi.waitFor(async () => expect(await costOf(slow)).toMatchObject(counted), 30_000)
    const { db } = site.database
    const old = new Date(Date.now() - 73 * 3_600_000).toISOString()
    await db.updateTable('counts').set({ at: old }).execute()
    expect(await costOf(slow)).toEqual({ own: null, all: null })
    await sweepCounts(db, { reportDays: 2, visitDays: 761 })
    const kept = await db.selectFrom('counts').select(['series', 'resolution']).execute()
    expect(kept.filter(({ series }) => series.endsWith('cost'))).toEqual([])
  })
})
