// Needs a browser: a page without some of the browser’s features, and what it covers.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { atEachWidth } from '../support/at-each-width.ts'
import { DESKTOP, launchBrowser, PHONE, untilBooted } from '../support/browser.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'
import { untilTags } from '../support/until-tags.ts'

let site: TestApp
let browser: Browser
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  await insertPixel(site.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
  await untilTags(site.url)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

test.each([
  [
    'tells of no first paint',
    () => {
      performance.getEntriesByName = () => []
    },
  ],
  [
    'gives it no frames',
    () => {
      globalThis.requestAnimationFrame = () => 0
    },
  ],
])('the page works in a browser that %s', async (_name, hide) => {
  const context = await browser.newContext(DESKTOP)
  onTestFinished(() => context.close())
  await context.addInitScript(hide)
  const page = await context.newPage()
  await page.goto(site.url)
  await untilBooted(page)
  await page.getByRole('button', { name: 'Aceitar todos' }).waitFor()
})

test('the banner follows the skip link, does not cover content for good, and confirms the choice', async () => {
  const context = await browser.newContext({ ...PHONE, viewport: { width: 320, height: 640 } })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(site.url)
  const accept = page.getByRole('button', { name: 'Aceitar todos' })
  await accept.waitFor()
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('skip')

  await until(page, () => document.querySelector('.later') === null)
  await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
  const gap = await page.evaluate(() => {
    const top = document.querySelector('.consent')?.getBoundingClientRect().top ?? 0
    return top - (document.querySelector('.legal')?.getBoundingClientRect().bottom ?? Number.NaN)
  })
  expect(gap).toBeGreaterThanOrEqual(0)

  // No answer is more prominent than another.
  const boxes = await page.locator('.consent .btn').evaluateAll((buttons) =>
    buttons.map((button) => {
      const { top, width, height } = button.getBoundingClientRect()
      return [top, width, height].map(Math.round).join()
    }),
  )
  expect(new Set(boxes).size).toBe(1)

  await readLarge(page)

  await page.getByRole('button', { name: 'Rejeitar não essenciais' }).click()
  await page.getByRole('status').filter({ hasText: 'Escolha salva.' }).waitFor({ state: 'attached' })
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  await expect.poll(() => page.locator('footer').evaluate((footer) => footer.style.paddingBottom)).toBe('')
})

/** Text at 200 %: no word exceeds its box, and everything can be reached on a low screen. */
async function readLarge(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%'
  })
  const findCut = () =>
    page.evaluate(() =>
      Array.from(document.querySelectorAll<HTMLElement>('.consent .btn, .dhead, .prefs .btn'))
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent),
    )
  await atEachWidth(page, [375, 320], async (width) => expect(await findCut(), `${width}`).toEqual([]))
  await page.setViewportSize({ width: 320, height: 320 })
  const reach = await page.locator('.consent').evaluate((banner) => {
    banner.scrollTop = banner.scrollHeight
    const { top, bottom } = banner.getBoundingClientRect()
    const last = banner.querySelector('.btn:last-child')?.getBoundingClientRect().bottom ?? Number.NaN
    return { isInSight: top >= 0 && bottom <= innerHeight, isWhole: last <= bottom }
  })
  expect(reach).toEqual({ isInSight: true, isWhole: true })
  await page.getByRole('button', { name: 'Preferências', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  expect(await findCut()).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('two taps on "Preferências" open one dialog', async () => {
  const context = await browser.newContext(PHONE)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(site.url)
  const choose = page.locator('[data-consent=choose]')
  await choose.waitFor()
  await choose.evaluate((button: HTMLElement) => {
    button.click()
    button.click()
  })
  await page.getByRole('dialog').waitFor()
  expect(await page.locator('dialog').count()).toBe(1)
})

test('leads to the policy if the preferences cannot be loaded', async () => {
  const context = await browser.newContext(PHONE)
  onTestFinished(() => context.close())
  await context.route('**/assets/islands-*.js', (route) => route.abort())
  const page = await context.newPage()
  await page.goto(site.url)
  await page.locator('[data-consent=choose]').click()
  await page.waitForURL('**/cookies')
})
