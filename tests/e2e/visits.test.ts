// Needs a browser: what the page sends when it is left, and what it shows with Global Privacy Control.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { findVisit } from '#server/outcomes/visit-codes.ts'
import { sumCounts } from '#server/stats/counts.ts'
import { DESKTOP, launchBrowser, untilBooted } from '../support/browser.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let site: TestApp
let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
  site = await startTestApp({ listen: true, env: { VISIT_COUNTS: 'on' } })
  await insertPixel(site.database.db, { type: 'meta', pixel_id: '123456789012345' })
  await vi.waitFor(
    async () => expect(await (await fetch(site.url)).text()).toContain('data-tag-kinds="m"'),
    30_000,
  )
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

/** A browser that is no robot by its name. */
async function open({ url = site.url, path = '/', hasGpc = false } = {}): Promise<Page> {
  const userAgent =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36'
  const context = await browser.newContext({ ...DESKTOP, userAgent, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(30_000)
  if (hasGpc)
    await context.addInitScript(() =>
      Object.defineProperty(navigator, 'globalPrivacyControl', { value: true }),
    )
  const page = await context.newPage()
  await page.goto(url + path)
  await untilBooted(page)
  return page
}
const banner = (page: Page) => page.getByRole('region', { name: 'Cookies' })

async function clicks(): Promise<Record<string, number>> {
  const rows = await sumCounts(site.database.db, { series: 'visit.source', resolution: 'day', from: 0 })
  return Object.fromEntries(
    rows.filter(({ key }) => key.startsWith('lead')).map(({ key, count }) => [key, count]),
  )
}

test('counts a click of a visitor who chose nothing, by the campaign of the page', async () => {
  const page = await open({ path: '/?utm_source=google&utm_medium=cpc&utm_campaign=bf&email=a@b.c' })
  await page.evaluate(() => addEventListener('click', (event) => event.preventDefault()))
  await page.locator('[data-conversion=lead]:visible').first().click()
  await vi.waitFor(
    async () =>
      expect(await clicks()).toEqual({ 'lead ["paid_search","google","cpc","bf","","desktop"]': 1 }),
    30_000,
  )
  expect(await page.context().cookies()).toEqual([])
})

test('asks nothing of a visitor with Global Privacy Control, whose own choice wins', async () => {
  const asked = await open()
  await banner(asked).waitFor()
  const page = await open({ hasGpc: true })
  await page.locator('a[data-preferences]').first().click()
  await page.getByRole('dialog').waitFor()
  expect(await banner(page).isVisible()).toBe(false)
  expect(await page.context().cookies()).toEqual([])
  await page.getByRole('checkbox', { name: 'Marketing' }).check()
  await page.getByRole('button', { name: 'Salvar preferências' }).click()
  await expect
    .poll(async () => (await page.context().cookies()).map(({ name }) => name))
    .toContain('portico_consent')
})

/** The code in every link to the app and to sales; null where none of them has one. */
async function codeOf(page: Page): Promise<string | null> {
  const hrefs = await page
    .locator('a[data-app], a[href^="https://wa.me/"]')
    .evaluateAll((links) => links.map((link) => decodeURIComponent((link as HTMLAnchorElement).href)))
  const codes = new Set(
    hrefs.map((href) => /(?:[?&]portico_visit=|Código da visita: )(v_[0-9a-f]{32})/.exec(href)?.[1] ?? null),
  )
  expect(codes.size).toBe(1)
  return [...codes][0] ?? null
}

test('links carry the code of a visit that consent allows, which is stored once one is used', async () => {
  const page = await open({ path: '/?utm_source=google&utm_medium=cpc&utm_campaign=bf&gclid=g1' })
  expect(await codeOf(page)).toBeNull()
  await banner(page).getByRole('button', { name: 'Aceitar todos' }).click()
  await expect.poll(() => codeOf(page), { timeout: 30_000 }).not.toBeNull()
  const code = (await codeOf(page)) ?? ''
  const find = () => findVisit(site.database.db, code, Date.now())
  expect(await find()).toBeNull()
  // The next page of the visit has no campaign in its address.
  await page.goto(site.url)
  await expect.poll(() => codeOf(page), { timeout: 30_000 }).toBe(code)
  await page.evaluate(() => addEventListener('click', (event) => event.preventDefault()))
  await page.locator('[data-conversion=lead]:visible').first().click()
  const visit = { channel: 'paid_search', campaign: 'bf', clickIds: { gclid: 'g1' } }
  await expect.poll(find, { timeout: 30_000 }).toMatchObject(visit)
  await page.locator('a[data-preferences]').first().click()
  await Promise.all([
    page.waitForEvent('load'),
    page.getByRole('dialog').getByRole('button', { name: 'Rejeitar não essenciais' }).click(),
  ])
  await untilBooted(page)
  await expect.poll(find, { timeout: 30_000 }).toBeNull()
  expect(await codeOf(page)).toBeNull()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
})

test('a visitor who refused, or who sends Global Privacy Control and chose nothing, has no code', async () => {
  const refused = await open()
  await banner(refused).getByRole('button', { name: 'Rejeitar não essenciais' }).click()
  const silent = await open({ hasGpc: true })
  for (const page of [refused, silent]) {
    await page.reload()
    await untilBooted(page)
    await page.waitForLoadState('networkidle')
    expect(await codeOf(page)).toBeNull()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  }
})

test('remembers an objection in one cookie, which a second press deletes', async () => {
  const page = await open({ hasGpc: true })
  const box = page.getByRole('checkbox', { name: 'Não contar minhas visitas' })
  await page.locator('a[data-preferences]').first().click()
  await box.check()
  const [cookie, ...others] = await page.context().cookies()
  expect(others).toEqual([])
  expect(cookie).toMatchObject({ name: 'portico_nao_contar', value: '1', sameSite: 'Lax' })
  await page.reload()
  await untilBooted(page)
  await page.locator('a[data-preferences]').first().click()
  expect(await box.isChecked()).toBe(true)
  await box.uncheck()
  expect(await page.context().cookies()).toEqual([])
})

test('calls nothing and offers no objection on a site that counts no visits', async () => {
  const quiet = await startTestApp({ listen: true, env: { VISIT_COUNTS: 'off' } })
  onTestFinished(() => quiet.close())
  /** What the page sends while somebody clicks and comes back. */
  const beaconsOf = async (url: string) => {
    const page = await open({ url })
    await page.evaluate(() => {
      const sent: string[] = []
      Object.assign(window, { sent })
      navigator.sendBeacon = (path) => Boolean(sent.push(String(path)))
      addEventListener('click', (event) => event.preventDefault())
    })
    await page.locator('[data-conversion=lead]:visible').first().click()
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    return { page, sent: await page.evaluate(() => (window as unknown as { sent: string[] }).sent) }
  }
  expect((await beaconsOf(site.url)).sent).toEqual(['/api/clicks', '/api/views'])
  const { page, sent } = await beaconsOf(quiet.url)
  expect(sent).toEqual([])
  await page.locator('a[data-preferences]').first().click()
  await page.getByRole('checkbox', { name: 'Marketing' }).waitFor()
  expect(await page.getByRole('checkbox', { name: 'Não contar minhas visitas' }).count()).toBe(0)
})
