// Needs a browser: pasted scripts run, in order, under the policy, beside scripts that fail.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Pixel } from '#contract/pixel.ts'
import { raiseTagsVersion } from '#server/tags/serve/tag-version.ts'
import { storedObservations } from '#tests/support/stored-counts.ts'
import { launchBrowser, UNSEEN } from '../support/browser.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { reportTotals } from '../support/report-totals.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'
import { startVendors, type VendorStandIn } from '../support/vendor-stand-in.ts'

let vendors: VendorStandIn
let browser: Browser
let site: TestApp
let context: BrowserContext
let page: Page

beforeAll(async () => {
  vendors = await startVendors()
  browser = await launchBrowser({ resolve: vendors.resolve })
  site = await startTestApp({ listen: true })
})
afterAll(async () => {
  await browser.close()
  await site.close()
  await vendors.close()
})
beforeEach(async () => {
  const { db } = site.database
  await site.forgetLimits()
  for (const table of ['tracking_pixels', 'blocked_hosts'] as const) await db.deleteFrom(table).execute()
  await raiseTagsVersion(db)
  vendors.clear()
  context = await browser.newContext({ ...UNSEEN, ignoreHTTPSErrors: true })
  page = await context.newPage()
})
afterEach(() => context.close())

const custom = (code: string, rest: Partial<Pixel> = {}): Promise<string> =>
  insertPixel(site.database.db, { type: 'custom', code, ...rest })

/** Waits until the page has exactly these tags, opens it and accepts. */
async function accept(...ids: string[]): Promise<void> {
  await vi.waitFor(async () => {
    const version = /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text())?.[1]
    const manifest = await (await fetch(`${site.url}/tags/${version}.js`)).text()
    expect([...manifest.matchAll(/\{"id":"([^"]+)"/g)].map((match) => match[1])).toEqual(ids)
  }, 30_000)
  await page.goto(site.url)
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
}
const ran = (name: string) => until(page, (key) => key in window, name)
const read = (name: string) =>
  page.evaluate((key) => (window as unknown as Record<string, unknown>)[key], name)
const reports = () => reportTotals(site.database.db)

test('scripts keep their order, globals and `document.currentScript`, as in a page', async () => {
  vendors.serve('cdn.custom-vendor.com/first.js', 'steps.push("vendor")')
  const first = await custom(`
    <script>var steps = ['one']; function shared() { return this === window } let lexical = 1</script>
    <script data-key="k">steps.push('two', shared(), lexical, document.currentScript.dataset.key)</script>
    <script src="https://cdn.custom-vendor.com/first.js"></script>
    <script>if (</script>
    <script>"use strict"; steps.push('three', (function () { return this === undefined })())</script>`)
  const second = await custom('<script>window.secondTag = steps.length; window.done = true</script>')
  await accept(first, second)
  await ran('done')
  await vi.waitFor(
    async () => expect(await read('steps')).toEqual(['one', 'two', true, 1, 'k', 'vendor', 'three', true]),
    30_000,
  )
})

test('one throws, one loops for two seconds, one is blocked, one never answers: the page and the others continue', async () => {
  vendors.serve('cdn.custom-vendor.com/hangs.js', 'never')
  const throws = await custom('<script>var before = 1; throw new Error("Deu ruim")</script>')
  const loops = await custom(
    '<script>for (var end = Date.now() + 2000; Date.now() < end; ); window.looped = true</script>',
  )
  const blocked = await custom(
    '<script>var s = document.createElement("script"); s.src = "https://" + "evil.example.com/x.js"; document.head.append(s)</script>',
  )
  const hangs = await custom(
    '<script src="https://cdn.custom-vendor.com/hangs.js"></script><script>window.afterHang = true</script>',
  )
  const gone = await custom(
    '<script src="https://not-there.custom-vendor.com/x.js"></script><script>window.afterGone = true</script>',
  )
  // Answered without an image, as counters do.
  const counter = await custom('<img src="https://cdn.custom-vendor.com/count?id=1" width="1" height="1">')
  const fine = await custom('<script>window.last = true</script>')
  await accept(throws, loops, blocked, hangs, gone, counter, fine)
  await ran('last')
  expect(await read('looped')).toBe(true)
  await ran('afterGone')
  expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Preferências de cookies' }).click()
  await page.getByRole('dialog').waitFor()
  expect(vendors.seen()).not.toContain('evil.example.com/x.js')
  await vi.waitFor(() => expect(vendors.seen()).toContain('cdn.custom-vendor.com/count'), 30_000)
  await page.goto('about:blank')
  await vi.waitFor(async () => {
    const counted = await reports()
    expect(counted.get(throws)).toMatchObject({ failed: 1, ran: 0, last_error: 'Uncaught Error: Deu ruim' })
    expect(counted.get(loops)).toMatchObject({ ran: 1 })
    // What our own policy stops is our failure, not a blocker's.
    expect(counted.get(blocked)).toMatchObject({ failed: 1, blocked: 0, ran: 0 })
    expect(counted.get(gone)).toMatchObject({ blocked: 1, ran: 0 })
    expect(counted.get(counter)).toMatchObject({ ran: 1, blocked: 0, failed: 0 })
    expect(counted.get(fine)).toMatchObject({ ran: 1, blocked: 0, failed: 0 })
    const hosts = await site.database.db.selectFrom('blocked_hosts').select(['host', 'pixel_id']).execute()
    expect(hosts).toEqual([{ host: 'evil.example.com', pixel_id: blocked }])
  }, 30_000)
})

test('attributes blocking time to a tag by its own file, its vendor’s or its frame, and to no other tag', async () => {
  const loop = 'for (var end = performance.now() + 900; performance.now() < end; );'
  vendors.serve('cdn.custom-vendor.com/slow.js', loop)
  const own = await custom(`<script>${loop}</script>`)
  const vendor = await custom('<script async src="https://cdn.custom-vendor.com/slow.js"></script>')
  const quick = await custom('<script>window.quick = true</script>')
  const isolated = await custom(
    `<script>${loop} navigator.sendBeacon('https://cdn.custom-vendor.com/apart')</script>`,
    { runs_in: 'isolated' },
  )
  // One visit in ten is measured: this one.
  await page.addInitScript(() => {
    Math.random = () => 0.05
  })
  await accept(own, vendor, quick, isolated)
  const cost = async (id: string, subject: string) => {
    const all = await storedObservations(site.database.db)
    const rows = all.filter((row) => row.pixel_id === id && row.subject === subject)
    expect(rows).toMatchObject([{ count: 1 }])
    return Number(rows[0]?.verdict)
  }
  await vi.waitFor(async () => {
    expect(await cost(own, 'cost_ms')).toBeGreaterThanOrEqual(800)
    expect(await cost(vendor, 'cost_ms')).toBeGreaterThanOrEqual(800)
    expect(await cost(quick, 'cost_ms')).toBeLessThan(800)
    expect(await cost(isolated, 'cost_ms')).toBeGreaterThanOrEqual(800)
  }, 30_000)
  expect(await cost(isolated, 'cost_requests')).toBe(1)
  expect([await cost(own, 'cost_requests'), await cost(vendor, 'cost_requests')]).toEqual([0, 1])
})

test("reports a vendor's script that the visitor's browser blocks as blocked, for its tag", async () => {
  const meta = await insertPixel(site.database.db, { type: 'meta' })
  const analytics = await insertPixel(site.database.db, { type: 'google_analytics', pixel_id: 'G-OK' })
  await context.route('https://connect.facebook.net/**', (route) => route.abort('blockedbyclient'))
  await accept(meta, analytics)
  await vi.waitFor(() => expect(vendors.seen()).toContain('www.google-analytics.com/g/collect'), 30_000)
  // The page stays open: requests sent while leaving could get lost in the interception.
  await vi.waitFor(async () => {
    const counted = await reports()
    expect(counted.get(meta)).toMatchObject({ blocked: 1, ran: 0 })
    expect(counted.get(analytics)).toMatchObject({ ran: 1, blocked: 0 })
  }, 30_000)
})

test('an unlisted host cannot be reached in any way, and permitting it opens them', async () => {
  const pixel = await custom(`<script>
    var host = 'https://' + 'cdn.custom-vendor.com'
    fetch(host + '/fetch', { mode: 'no-cors' }).catch(function () {})
    navigator.sendBeacon(host + '/beacon')
    new Image().src = host + '/image'
    window.done = true</script>`)
  await accept(pixel)
  await ran('done')
  await vi.waitFor(async () => {
    const rows = await site.database.db.selectFrom('blocked_hosts').select(['host', 'pixel_id']).execute()
    // Chromium does not name the script behind an image: that report has no pixel.
    expect(rows).toContainEqual({ host: 'cdn.custom-vendor.com', pixel_id: pixel })
  }, 30_000)
  expect(vendors.hits).toEqual([])
  await site.database.db
    .updateTable('tracking_pixels')
    .set({ allowed_hosts: JSON.stringify(['cdn.custom-vendor.com']) })
    .execute()
  await raiseTagsVersion(site.database.db)
  await vi.waitFor(async () => {
    const policy = (await fetch(site.url)).headers.get('content-security-policy')
    expect(policy).toContain('https://cdn.custom-vendor.com')
  }, 30_000)
  await page.reload()
  await vi.waitFor(
    () => expect(vendors.hits.map((hit) => hit.path).sort()).toEqual(['/beacon', '/fetch', '/image']),
    30_000,
  )
})

test('a container loads what it wants, its events have their own names, and nothing else is opened', async () => {
  const container = await insertPixel(site.database.db, { type: 'google_tag_manager', pixel_id: 'GTM-ABC' })
  await accept(container)
  await ran('fromContainer')
  expect(vendors.hits.find((hit) => hit.path === '/gtm.js')?.query.get('id')).toBe('GTM-ABC')
  const layer = (await page.evaluate(() => JSON.parse(JSON.stringify(window.dataLayer)))) as Record<
    string,
    unknown
  >[]
  expect(layer.map((entry) => entry.event ?? entry[1])).toEqual(['default', 'update', 'gtm.js'])
  await page.evaluate(() =>
    document.dispatchEvent(new CustomEvent('portico:conversion', { detail: { name: 'lead' } })),
  )
  await vi.waitFor(
    async () =>
      expect(await page.evaluate(() => window.dataLayer?.at(-1))).toMatchObject({
        event: 'site_lead',
        event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      }),
    30_000,
  )
  const reached = await page.evaluate(() =>
    Promise.allSettled(['/admin', '/rest/v1/tracking_pixels'].map((path) => fetch(path))).then((all) =>
      all.map((one) => one.status),
    ),
  )
  expect(reached).toEqual(['rejected', 'rejected'])
})
