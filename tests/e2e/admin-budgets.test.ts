import { statSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { BuildManifest } from '#server/http/static/assets.ts'
import { insertPixels } from '../support/admin-data.ts'
import { type AdminSite, startAdminSite } from '../support/admin-site.ts'
import { countPageWork, observePageWork, type PageWork } from '../support/page-work.ts'

const PIXELS = 10_000
const ROWS_AT_MOST = 40
/** What one step may cost. Times are measured by the bench (`--only=dashboard`): here they would tell of the machine. */
const STEP_AT_MOST = { elements: 1_500, layouts: 5, mutations: 150, commits: 10 }
/** The list in the cache, its count and its filter are gone through, by a comparison each; anything more is a defect. */
const PASSES_OF_A_CLICK = 4

let admin: AdminSite
beforeAll(async () => {
  admin = await startAdminSite()
})
afterAll(() => admin.close())

test('the first load of the dashboard is at most 130 KB of JavaScript, brotli', () => {
  const { file, imports } = new BuildManifest('dist/client').entry('src/admin/main.tsx')
  const bytes = [file, ...imports].map((path) => statSync(`dist/client${path}.br`).size)
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(130_000)
})

test('with 10,000 pixels a click is on screen and stored, and neither it nor scrolling does anything for each row', async () => {
  const code = generateSnippet('meta', '482910377165024')
  // All but the newest are off: what ten thousand tags would do to the public page is not the question here.
  const pixels = Array.from({ length: PIXELS }, (_, n) => ({
    name: `Pixel ${n}`,
    code,
    is_active: n === PIXELS - 1,
  }))
  await insertPixels(admin.site.database.db, pixels)
  // Putting them in keeps this process busy, and a busy server turns visitors away until it has caught up.
  await expect
    .poll(async () => (await fetch(`${admin.site.url}/admin`)).status, { timeout: 30_000 })
    .toBe(200)
  const { page, context, complaints } = await admin.visit({ prepare: observePageWork })
  await page.getByText('10.000 pixels').waitFor({ timeout: 40_000 })
  const cdp = await context.newCDPSession(page)

  const newest = page.getByRole('switch', { name: `Ativo: Pixel ${PIXELS - 1}`, checked: false })
  const click = await countPageWork(cdp, () => clickAndPaint(page))
  expectWithin(click, { ...STEP_AT_MOST, calls: PASSES_OF_A_CLICK * PIXELS })
  expect(await newest.count()).toBe(1)
  await page.getByText(`Pixel desativado: Pixel ${PIXELS - 1}`).waitFor()
  // What the click brought in its train (the list is asked for again) is done before scrolling is counted.
  const atRest = async () => (await countPageWork(cdp, () => page.waitForTimeout(1_000))).calls < PIXELS
  await expect.poll(atRest, { timeout: 40_000 }).toBe(true)
  const active = await admin.site.database.db
    .selectFrom('tracking_pixels')
    .select('name')
    .where('is_active', '=', true)
    .execute()
  expect(active).toEqual([])

  for (let step = 1; step <= 10; step += 1) {
    // Near rows first, then leaps, as with the scroll bar in hand.
    const scroll = await countPageWork(cdp, () =>
      scrollAndPaint(page, step <= 5 ? { by: 300 } : { to: step / 10 }),
    )
    // Scrolling goes through no list at all.
    expectWithin(scroll, { ...STEP_AT_MOST, calls: PIXELS - 1 })
    expect(await page.locator('tbody tr').count()).toBeLessThanOrEqual(ROWS_AT_MOST)
  }
  await page.getByText('Pixel 0', { exact: true }).waitFor()
  expect(complaints()).toEqual([])
  await context.close()
}, 120_000)

function expectWithin(work: PageWork, most: PageWork): void {
  const over = Object.entries(work).filter(([what, count]) => count > most[what as keyof PageWork])
  expect(over).toEqual([])
}

/** Done when the frame after the click shows its result. */
function clickAndPaint(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const badge = document.querySelector<HTMLElement>('tbody [role="switch"]')
    badge?.click()
    while (badge?.getAttribute('aria-checked') !== 'false') await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
  })
}

function scrollAndPaint(page: Page, where: { by?: number; to?: number }): Promise<void> {
  return page.evaluate(async ({ by, to }) => {
    const list = document.querySelector('table')?.closest('.overflow-y-auto')
    if (!list) throw new Error('the list does not scroll')
    list.scrollTop = to === undefined ? list.scrollTop + (by ?? 0) : to * list.scrollHeight
    await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
  }, where)
}
