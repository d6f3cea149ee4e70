import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { PixelStatus, TagOverview } from '#contract/tag-status.ts'
import { bumpTagsVersion } from '#server/db/changes.ts'
import { readKeys } from '../acceptance/auth-keys.ts'
import { DESKTOP, launchBrowser } from '../support/browser.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { startVendors, type VendorStandIn } from '../support/vendor-stand-in.ts'

let vendors: VendorStandIn
let browser: Browser
let site: TestApp
let key: string
let context: BrowserContext
let page: Page

beforeAll(async () => {
  vendors = await startVendors()
  browser = await launchBrowser({ resolve: vendors.resolve })
  site = await startTestApp({ listen: true })
  key = (await readKeys(site)).service
})
afterAll(async () => {
  await browser.close()
  await site.close()
  await vendors.close()
})
beforeEach(async () => {
  await site.forgetLimits()
  for (const table of ['tracking_pixels', 'blocked_hosts'] as const)
    await site.database.db.deleteFrom(table).execute()
  await bumpTagsVersion(site.database.db)
  vendors.clear()
  context = await browser.newContext({ ...DESKTOP, ignoreHTTPSErrors: true, reducedMotion: 'reduce' })
  page = await context.newPage()
})
afterEach(() => context.close())

const call = (method: string, path: string, body?: object) =>
  fetch(site.url + path, {
    method,
    headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const overview = async () => (await (await call('GET', '/admin/api/tags')).json()) as TagOverview
const statusOf = async (id: string) =>
  (await overview()).pixels.find(({ pixel_id }) => pixel_id === id) as PixelStatus
const served = (...ids: string[]) =>
  vi.waitFor(async () => {
    const version = /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text())?.[1]
    const manifest = await (await fetch(`${site.url}/tags/${version}.js`)).text()
    expect([...manifest.matchAll(/\{"id":"([^"]+)"/g)].map((match) => match[1])).toEqual(ids)
  }, 10_000)
async function accept(): Promise<void> {
  await page.goto(site.url)
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
}

test('a host that our policy stops is named, permitting it makes the next visit whole, and a blocker is another word', async () => {
  const { db } = site.database
  const pixel = await insertPixel(db, {
    type: 'custom',
    name: 'Novo',
    code: `<script>fetch('https://' + 'cdn.custom-vendor.com/hit').catch(function () {})
      var s = document.createElement('script'); s.src = 'https://unlisted.vendor-cdn.com/from-container.js'; document.head.append(s)</script>`,
  })
  await served(pixel)
  await accept()
  const stopped = await vi.waitFor(async () => {
    const status = await statusOf(pixel)
    expect(status).toMatchObject({ health: 'partial', reasons: [{ code: 'stopped_by_policy' }] })
    return status
  }, 15_000)
  const [reason] = stopped.reasons
  expect(reason).toMatchObject({ host: 'cdn.custom-vendor.com', action: { kind: 'permit' } })
  const ids = reason?.action?.kind === 'permit' ? reason.action.ids : []
  expect((await call('POST', '/admin/api/blocked-hosts/allow', { ids })).status).toBe(200)
  expect((await statusOf(pixel)).health).toBe('waiting')
  await page.reload()
  await vi.waitFor(async () => {
    // The stand-in answers with CORS, which every browser tells; but nobody knows what a page view of this vendor is.
    expect(await statusOf(pixel)).toMatchObject({ health: 'working', confirmed: false })
  }, 15_000)
  expect(vendors.seen()).toContain('cdn.custom-vendor.com/hit')

  await context.route('https://unlisted.vendor-cdn.com/**', (route) => route.abort('blockedbyclient'))
  await page.reload()
  await vi.waitFor(async () => {
    const status = await statusOf(pixel)
    expect(status.health).toBe('partial')
    expect(status.reasons.map(({ message }) => message).join()).toContain('bloqueadores')
  }, 15_000)
})
