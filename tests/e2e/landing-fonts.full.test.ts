// Needs a browser: fonts decide what moves and what is cut.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { NEWSLETTER_MESSAGES } from '#contract/newsletter.ts'
import { atEachWidth } from '../support/at-each-width.ts'
import { DESKTOP, launchBrowser, PHONE } from '../support/browser.ts'
import { FONT_WORLDS } from '../support/font-worlds.ts'
import {
  expectFirstVisit,
  expectLaterVisit,
  expectNoTypeface,
  noteMovements,
  readToTheEnd,
  untilSettled,
} from '../support/landing-visit.ts'
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

const WIDTHS = [320, 344, 375, 600, 768, 999, 1000, 1440, 1920, 2560]

/** Pairs of a first and a second visit: each anchor with each set of fonts, screen and visit. */
const ARRIVALS = {
  liberation: { phone: ['about', 'niches'], desktop: ['contact', 'benefits'] },
  roboto: { phone: ['contact', 'benefits'], desktop: ['niches', 'about'] },
  dejavu: { phone: ['benefits', 'contact'], desktop: ['about', 'niches'] },
} as const

/** Everything that depends on the width of letters, on each kind of device. */
describe.each(FONT_WORLDS)('with the fonts of %s', (fonts) => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser({ fonts })
  })
  afterAll(() => browser.close())

  async function newVisitor(options: BrowserContextOptions) {
    const context = await browser.newContext(options)
    onTestFinished(() => context.close())
    await noteMovements(context)
    return context
  }

  test('on a desktop nothing moves while the page is read, and no width scrolls sideways', async () => {
    const page = await (await newVisitor(DESKTOP)).newPage()
    await page.goto(site.url)
    // Sections are being laid out meanwhile.
    await readToTheEnd(page)
    await untilSettled(page)
    await expectFirstVisit(page)
    await expectNothingCut(page)
  })

  test("without the typeface the page keeps the device's font, at every width", async () => {
    const context = await newVisitor(DESKTOP)
    await context.route('**/*.woff2', (route) => route.abort())
    const page = await context.newPage()
    await page.goto(site.url)
    await untilSettled(page)
    await expectNoTypeface(page)
    await expectNothingCut(page)
  })

  test("on a phone every control is at least 44 px, and the newsletter's message scrolls into view", async () => {
    const page = await (await newVisitor({ ...PHONE, reducedMotion: 'reduce' })).newPage()
    await page.goto(site.url)
    await untilSettled(page)
    await expectFirstVisit(page)
    // The animation is in the first screen, also on a phone with browser bars.
    const lanes = await page.evaluate(() =>
      Array.from(document.querySelectorAll('.inside .chip'), (chip) => chip.getBoundingClientRect().bottom),
    )
    expect(Math.min(...lanes)).toBeLessThan(667)
    const small = await page.evaluate(() =>
      Array.from(document.querySelectorAll('a, button, summary, input:not(.trap)'))
        .filter((element) => element.checkVisibility() && element.closest('.company, .skip') === null)
        .filter((element) => element.getBoundingClientRect().height < 43.5)
        .map((element) => element.outerHTML.slice(0, 80)),
    )
    expect(small).toEqual([])

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

  test.each([
    ['phone', PHONE],
    ['desktop', DESKTOP],
  ] as const)('an anchor on a %s stays in place, on a first and on a second visit', async (name, screen) => {
    const context = await newVisitor({ ...screen, reducedMotion: 'no-preference' })
    for (const [visit, id] of ARRIVALS[fonts][name].entries()) {
      const page = await context.newPage()
      await page.goto(`${site.url}/#${id}`)
      await untilSettled(page)
      const place = await page.locator(`#${id}`).evaluate((section) => {
        const left = document.documentElement.scrollHeight - innerHeight - scrollY
        return { top: Math.round(section.getBoundingClientRect().top), atEnd: left < 1 }
      })
      // Anchors stop below the fixed header, or at the end of the page.
      expect(place.atEnd || Math.abs(place.top - 72) <= 1, `${id}: ${JSON.stringify(place)}`).toBe(true)
      await (visit === 0 ? expectFirstVisit(page) : expectLaterVisit(page))
      await page.close()
    }
  })
})

test('an unknown font with wider letters cuts nothing', async () => {
  const browser = await launchBrowser({ fonts: 'dejavu' })
  onTestFinished(() => browser.close())
  const context = await browser.newContext(DESKTOP)
  await context.route('**/*.woff2', (route) => route.abort())
  await context.route(`${site.url}/`, async (route) => {
    const answer = await route.fetch()
    const headers = { ...answer.headers() }
    // The style is listed by hash, and was changed here.
    delete headers['content-security-policy']
    const body = (await answer.text()).replaceAll('DejaVu', 'Somebody')
    await route.fulfill({ response: answer, headers, body })
  })
  const page = await context.newPage()
  await page.goto(site.url)
  await untilSettled(page)
  await expectNothingCut(page)
})

async function expectNothingCut(page: Page): Promise<void> {
  await atEachWidth(page, WIDTHS, async (width) => {
    const found = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      cut: Array.from(document.querySelectorAll('header *, main :is(h1, h2, h3, p, a, li, dd), footer *'))
        .filter((element) => element.closest('.art, .trap') === null)
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
        .map((element) => element.outerHTML.slice(0, 80)),
    }))
    expect(found).toEqual({ width, cut: [] })
  })
}
