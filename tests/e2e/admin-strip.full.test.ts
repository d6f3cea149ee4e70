// Needs a browser: the position of the figures at four widths.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCounts } from '#server/stats/counts.ts'
import { insertPixels } from '../support/admin-data.ts'
import { type AdminSite, startAdminSite, type Visit } from '../support/admin-site.ts'
import { atEachWidth } from '../support/at-each-width.ts'
import { findFaults } from '../support/find-faults.ts'
import { holdRequests } from '../support/hold-requests.ts'
import { startsOfDays } from '../support/site-days.ts'
import { storeSiteCounts } from '../support/stored-counts.ts'

const WIDTHS = [320, 375, 768, 1440]

let admin: AdminSite
let visit: Visit
let page: Page
let figures: ReturnType<typeof holdRequests>
beforeAll(async () => {
  admin = await startAdminSite({ VISIT_COUNTS: 'on' })
  const { db } = admin.site.database
  await insertPixels(db, [{ name: 'Blog' }, { name: 'Meta Pixel Principal' }])
  await db.updateTable('site_state').set({ counted_since: '2026-01-01T00:00:00.000Z' }).execute()
  await storeSiteCounts(
    db,
    startsOfDays().flatMap((slot, day) => [
      { slot, subject: 'choice:accepted', count: 987 - Math.max(0, day - 1) * 60 },
      { slot, subject: 'choice:refused', count: 306 },
      { slot, subject: 'choice:partial', count: 97 },
      { slot, subject: 'cost:sum:300', count: 97 },
      { slot, subject: 'cost:rest:40', count: 97 },
    ]),
  )
  await addCounts(
    db,
    startsOfDays().flatMap((slot, day) =>
      (
        [
          ['visits', 1_931 + day * 20],
          ['visitors', 1_612],
          ['click:lead', 86 + day * 3],
          ['click:contact', day * 4],
        ] as const
      ).map(([key, by]) => ({ series: 'visit', key, at: Date.parse(slot), by }) as const),
    ),
  )
  figures = holdRequests(admin.site.app.server, /^\/admin\/api\/today/)
  visit = await admin.visit({ options: { viewport: { width: 1440, height: 1000 } } })
  page = visit.page
})
afterAll(async () => {
  expect(visit.complaints()).toEqual([])
  await admin.close()
})

test('the figures above the list never move it, and link to their lists', async () => {
  const strip = page.getByRole('region', { name: 'Hoje' })
  await strip.getByText('1.390').waitFor()
  await atEachWidth(page, WIDTHS, async (width) =>
    expect.soft(await findFaults(page), `Hoje at ${width}`).toEqual([]),
  )
  const list = page.getByText('2 pixels')
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 1000 })
    figures.hold()
    await page.reload()
    await list.waitFor()
    const before = await list.boundingBox()
    figures.release()
    await strip.getByText('1.390').waitFor()
    expect.soft((await list.boundingBox())?.y, `${width}`).toBe(before?.y)
    // On a phone the list starts within the second screen.
    if (width < 640) expect.soft((await strip.boundingBox())?.height, `${width}`).toBeLessThan(460)
  }
  await strip.getByRole('link', { name: /^Inscrições/ }).click()
  await page.getByRole('heading', { name: 'Inscrições', exact: true }).waitFor()
})

test('the figures have no empty cell on the first day, at any width', async () => {
  const { db } = admin.site.database
  await db.deleteFrom('counts').execute()
  await db.deleteFrom('newsletter_subscriptions').execute()
  await db.updateTable('site_state').set({ counted_since: new Date().toISOString() }).execute()
  await page
    .getByRole('link', { name: /^Pixels & Tags/ })
    .first()
    .click()
  const strip = page.getByRole('region', { name: 'Hoje' })
  await page.reload()
  await strip.getByText('nenhuma ainda').waitFor()
  await atEachWidth(page, WIDTHS, async (width) => {
    const gaps = await strip.evaluate((section) => {
      const parts = [...section.querySelectorAll('header, li, summary, :scope > p')]
      const boxes = parts.map((part) => part.getBoundingClientRect()).filter(({ height }) => height > 0)
      const edges = [...boxes, { top: section.getBoundingClientRect().bottom, bottom: 0 }]
      return edges.map(({ top }, at) => {
        const above = boxes.slice(0, at).filter((box) => box.top < top)
        return at === 0 ? 0 : top - Math.max(...above.map(({ bottom }) => bottom))
      })
    })
    expect.soft(Math.max(...gaps), `${width}`).toBeLessThan(44)
  })
})
