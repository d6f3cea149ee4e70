// Needs a browser: the client renews its token by timers of a visible page.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminSite, startAdminSite } from '../support/admin-site.ts'
import { loadParts } from '../support/load-parts.ts'

let admin: AdminSite
beforeAll(async () => {
  admin = await startAdminSite()
})
afterAll(() => admin.close())

const isRefresh = (url: string) => url.includes('/auth/v1/token?grant_type=refresh_token')
const isList = (url: string) => url.includes('/rest/v1/tracking_pixels')

/** Only the browser's clock moves: the tab has been open for almost as long as its token lives. */
const almostAnHourLater = (page: Page) => page.clock.fastForward('59:00')

async function signedInWithClock() {
  const visit = await admin.visit({ path: '/admin/configuracoes' })
  await visit.page.clock.install()
  await visit.page.reload()
  await visit.page.getByText('em desenvolvimento').waitFor()
  return visit
}

test('renews the token before it expires, and uses the new one', async () => {
  const { page, context, complaints, networkNotes } = await signedInWithClock()
  const renewed: string[] = []
  page.on('response', async (response) => {
    if (!isRefresh(response.url())) return
    // A request that is still running when the page is closed has no body.
    const token = await response.json().catch(() => null)
    if (token !== null) renewed.push(`Bearer ${token.access_token}`)
  })
  await almostAnHourLater(page)
  await expect.poll(() => renewed.length).toBeGreaterThan(0)
  // The old token is still valid, so a running request may use it.
  await expect
    .poll(
      async () => {
        await page.getByRole('link', { name: 'Configurações' }).click()
        const listed = page.waitForResponse((response) => isList(response.url()))
        await page.getByRole('link', { name: 'Pixels & Tags' }).click()
        expect((await listed).status()).toBe(200)
        return (await (await listed).request().allHeaders()).authorization
      },
      { timeout: 30_000 },
    )
    .toSatisfy((authorization: string) => renewed.includes(authorization))
  expect([...complaints(), ...networkNotes()]).toEqual([])
  await context.close()
})

test('waits for a lost connection, doubling each delay', async () => {
  const { page, context, complaints } = await signedInWithClock()
  // By the browser's clock: events may arrive here late.
  const attempts: number[] = []
  const browser = await context.newCDPSession(page)
  await browser.send('Network.enable')
  browser.on('Network.requestWillBeSent', ({ request, timestamp }) => {
    if (isRefresh(request.url)) attempts.push(timestamp * 1000)
  })
  await loadParts(page, 'today', 'auth')
  await admin.stop()
  await almostAnHourLater(page)
  await expect.poll(() => attempts.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(4)
  const [first = 0, second = 0, third = 0, fourth = 0] = attempts
  // 200, 400 and 800 ms, minus the inaccuracy of timers.
  expect(second - first).toBeGreaterThanOrEqual(190)
  expect(third - second).toBeGreaterThanOrEqual(390)
  expect(fourth - third).toBeGreaterThanOrEqual(790)

  const refreshed = page.waitForResponse((response) => isRefresh(response.url()) && response.ok())
  await admin.resume()
  await refreshed
  await page.getByRole('link', { name: 'Pixels & Tags' }).click()
  await page.getByText('Nenhum pixel configurado').waitFor()
  expect(complaints()).toEqual([])
  await context.close()
})
