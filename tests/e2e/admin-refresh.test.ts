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

test('the token is renewed before it expires, and the new one opens the data', async () => {
  const { page, context, complaints, networkNotes } = await signedInWithClock()
  const renewed: string[] = []
  page.on('response', async (response) => {
    if (!isRefresh(response.url())) return
    // One that is still on its way when the page is closed has nothing to say.
    const token = await response.json().catch(() => null)
    if (token !== null) renewed.push(`Bearer ${token.access_token}`)
  })
  await almostAnHourLater(page)
  await expect.poll(() => renewed.length).toBeGreaterThan(0)
  // The old token is good for a while yet, so a request that is already on its way may still carry it.
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

test('a lost connection is waited out, each wait twice the one before', async () => {
  const { page, context, complaints } = await signedInWithClock()
  // By the browser's own clock: the news of a request may be late on its way here.
  const attempts: number[] = []
  const browser = await context.newCDPSession(page)
  await browser.send('Network.enable')
  browser.on('Network.requestWillBeSent', ({ request, timestamp }) => {
    if (isRefresh(request.url)) attempts.push(timestamp * 1000)
  })
  await loadParts(page, 'features/overview/today-strip.tsx')
  await admin.stop()
  await almostAnHourLater(page)
  await expect.poll(() => attempts.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(4)
  const [first = 0, second = 0, third = 0, fourth = 0] = attempts
  // 200, 400 and 800 ms, less what a timer may be early by.
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
