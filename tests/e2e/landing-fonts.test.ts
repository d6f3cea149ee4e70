import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { NEWSLETTER_MESSAGES } from '#contract/newsletter-form.ts'
import { DESKTOP, launchBrowser, PHONE, untilBooted } from '../support/browser.ts'
import { FONT_WORLDS } from '../support/font-worlds.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let site: TestApp
beforeAll(async () => {
  site = await startTestApp({
    listen: true,
    env: {
      COMPANY_LEGAL_NAME: 'Pórtico Pagamentos S.A.',
      COMPANY_CNPJ: '12.345.678/0001-90',
      DPO_EMAIL: 'dpo@portico.example',
    },
  })
})
afterAll(() => site.close())

/** Whatever depends on how wide letters are, on each kind of device. */
describe.each(FONT_WORLDS)('with the fonts of %s', (fonts) => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser({ fonts })
  })
  afterAll(() => browser.close())

  async function visit(options: BrowserContextOptions, typeface = true): Promise<Page> {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
    onTestFinished(() => context.close())
    if (!typeface) await context.route('**/*.woff2', (route) => route.abort())
    const page = await context.newPage()
    await page.goto(site.url)
    await untilLaidOut(page)
    return page
  }

  test.each([
    ['in the typeface', true],
    ['in a font of the device', false],
  ])('%s there is no sideways scrolling from 320 to 1920 px', async (_name, typeface) => {
    const page = await visit(DESKTOP, typeface)
    for (const width of [320, 344, 375, 600, 768, 999, 1000, 1024, 1440, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      const found = await page.evaluate(() => ({
        width: document.documentElement.scrollWidth,
        cut: Array.from(document.querySelectorAll('header *, main :is(h1, h2, h3, p, a, li, dd), footer *'))
          .filter((element) => element.closest('.art, .trap') === null)
          .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
          .map((element) => element.outerHTML.slice(0, 80)),
      }))
      expect(found).toEqual({ width, cut: [] })
    }
  })

  test('what is pressed on a phone is at least 44 px', async () => {
    const page = await visit(PHONE)
    const small = await page.evaluate(() =>
      Array.from(document.querySelectorAll('a, button, input:not(.trap)'))
        .filter((element) => element.checkVisibility() && element.closest('.company, .skip') === null)
        .filter((element) => element.getBoundingClientRect().height < 43.5)
        .map((element) => element.outerHTML.slice(0, 80)),
    )
    expect(small).toEqual([])
  })

  test.each([
    ['a phone', PHONE],
    ['a desktop', DESKTOP],
  ])('whoever arrives at an anchor on %s is there, and stays there', async (_name, screen) => {
    const context = await browser.newContext({ ...screen, reducedMotion: 'no-preference' })
    onTestFinished(() => context.close())
    for (const id of ['about', 'niches', 'benefits', 'contact']) {
      for (const visit of ['first', 'second']) {
        const page = await context.newPage()
        await page.goto(`${site.url}/#${id}`)
        // The last thing that may move the page by itself.
        await untilLaidOut(page)
        const place = await page.locator(`#${id}`).evaluate((section) => {
          const left = document.documentElement.scrollHeight - innerHeight - scrollY
          return { top: Math.round(section.getBoundingClientRect().top), atEnd: left < 1 }
        })
        const where = `${id}, ${visit} visit: ${JSON.stringify(place)}`
        // Anchors stop below the fixed header, or as far down as the page goes.
        expect(place.atEnd || Math.abs(place.top - 72) <= 1, where).toBe(true)
        await page.close()
      }
    }
  })

  test('nothing moves by itself while the page is read', async () => {
    const context = await browser.newContext(DESKTOP)
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.addInitScript(() => {
      const shifts: number[] = []
      Object.assign(globalThis, { shifts })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          shifts.push((entry as PerformanceEntry & { value: number }).value)
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await page.goto(site.url, { waitUntil: 'networkidle' })
    for (let y = 0; y < 8000; y += 800) {
      await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), y)
      await page.waitForFunction(() => new Promise((done) => requestAnimationFrame(() => done(true))))
    }
    expect(await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts)).toEqual([])
  })

  test('the answer to the newsletter comes into sight when the button was pressed at the lower edge', async () => {
    const page = await visit(PHONE)
    await untilBooted(page)
    const form = page.locator('form[action^="/api/newsletter"]')
    const answer = form.getByRole('status')
    await form.locator('input[type=email]').fill(`${fonts}@exemplo.com.br`)
    const button = form.getByRole('button')
    await button.evaluate((element) => element.scrollIntoView({ block: 'end' }))
    await button.tap()
    await expect.poll(() => answer.textContent()).toBe(NEWSLETTER_MESSAGES.success)
    await expect
      .poll(() => answer.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight))
      .toBe(true)
  })
})

function untilLaidOut(page: Page): Promise<unknown> {
  return page.waitForFunction(() => document.querySelector('.later') === null)
}
