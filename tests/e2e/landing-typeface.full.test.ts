// Needs a browser: the browser decides when a typeface is loaded and used.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CONSENT_COOKIE } from '#contract/consent-choice.ts'
import { atEachWidth } from '../support/at-each-width.ts'
import { DESKTOP, launchBrowser, neverIdle, PHONE, watchConsole } from '../support/browser.ts'
import { findCutText } from '../support/find-cut-text.ts'
import { FONT_WORLDS, type FontWorld } from '../support/font-worlds.ts'
import { holdRequests } from '../support/hold-requests.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import {
  expectFirstVisit,
  expectLaterVisit,
  expectNoTypeface,
  noteMovements,
  readToTheEnd,
  untilSettled,
  untilTypefaceCame,
  visitInTypeface,
} from '../support/landing-visit.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'
import { untilTags } from '../support/until-tags.ts'

let site: TestApp
let typeface: ReturnType<typeof holdRequests>
const browsers = new Map<FontWorld, Browser>()
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  // So that there is a banner.
  await insertPixel(site.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
  await untilTags(site.url)
  typeface = holdRequests(site.app.server, /\.woff2$/)
  for (const fonts of FONT_WORLDS) browsers.set(fonts, await launchBrowser({ fonts }))
})
afterAll(async () => {
  for (const browser of browsers.values()) await browser.close()
  await site.close()
})

async function newVisitor(fonts: FontWorld, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await (browsers.get(fonts) as Browser).newContext(options)
  onTestFinished(() => context.close())
  const messages = watchConsole(context)
  onTestFinished(() => expect(messages).toEqual([]))
  await noteMovements(context)
  return context
}

async function open(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  // `load` waits for a typeface that is held back.
  await page.goto(site.url, { waitUntil: 'commit' })
  await untilSettled(page)
  return page
}

const banner = (page: Page) => page.getByRole('button', { name: 'Aceitar todos' })

function holdTypeface(): void {
  typeface.hold()
  onTestFinished(() => typeface.release())
}

/** The cookie of a visitor who answered the banner on an older text: it is shown again. */
const answered = () => ({ name: CONSENT_COOKIE, value: 'answered', url: site.url })

/** Phones of 375 px, desktops and anchors are in landing-fonts.full.test.ts. */
const SCREENS = {
  'a small phone': { ...PHONE, viewport: { width: 320, height: 640 } },
  'a tablet': { viewport: { width: 768, height: 1024 } },
  'a large screen': { viewport: { width: 1920, height: 1080 } },
}

/** User styles that some people apply. */
const READERS = {
  'at twice its size': ':root { font-size: 200% }',
  // WCAG 2.2, success criterion 1.4.12.
  'with the spacing of WCAG 1.4.12': `
    * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
    p { margin-bottom: 2em !important }`,
}

describe.each(FONT_WORLDS)('with the fonts of %s', (fonts) => {
  test.each(Object.entries(SCREENS))(
    "on %s a first visit uses the device's font, a second the typeface, and neither moves",
    async (_name, screen) => {
      const context = await newVisitor(fonts, screen)
      const first = await open(context)
      await readToTheEnd(first)
      await expectFirstVisit(first)
      await first.close()
      const second = await visitInTypeface(() => open(context))
      await readToTheEnd(second)
      await expectLaterVisit(second)
    },
  )

  test.each(Object.entries(READERS))(
    'text %s is never cut, on a first and on a second visit',
    async (_name, style) => {
      const context = await newVisitor(fonts, DESKTOP)
      const first = await open(context)
      await expectFirstVisit(first)
      await expectNothingCut(first, style)
      await first.close()
      await expectNothingCut(await visitInTypeface(() => open(context)), style)
    },
  )
})

async function expectNothingCut(page: Page, style: string): Promise<void> {
  await page.evaluate((text) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    document.adoptedStyleSheets.push(sheet)
  }, style)
  await atEachWidth(page, [320, 375, 768, 1024, 1440, 1920], async (width) =>
    expect(await page.evaluate(findCutText), `${width} px`).toEqual([]),
  )
}

/** Timers never fire. */
function stopTimers(): void {
  globalThis.setTimeout = (() => 0) as unknown as typeof setTimeout
  globalThis.setInterval = globalThis.setTimeout as unknown as typeof setInterval
}

test('neither banner nor sections wait for the typeface or a timer', async () => {
  holdTypeface()
  const context = await newVisitor('liberation', DESKTOP)
  await context.addInitScript(stopTimers)
  const page = await open(context)
  await banner(page).waitFor()
  await expectNoTypeface(page)
})

test('on a later visit they do not wait either, and a late typeface is left for the next visit', async () => {
  holdTypeface()
  const context = await newVisitor('liberation', DESKTOP)
  await context.addInitScript(stopTimers)
  await context.addCookies([answered()])
  const page = await open(context)
  await banner(page).waitFor()
  expect(await page.evaluate(() => document.documentElement.className)).toBe('typeset')
  await expectNoTypeface(page)
  typeface.release()
  await untilTypefaceCame(page)
  await readToTheEnd(page)
  await expectNoTypeface(page)
  await page.close()
  await visitInTypeface(() => open(context))
})

test('a visitor who answered the banner gets the typeface although the page has changed since', async () => {
  const context = await newVisitor('liberation', DESKTOP)
  const first = await open(context)
  await expectFirstVisit(first)
  await first.getByRole('button', { name: 'Rejeitar não essenciais' }).click()
  await banner(first).waitFor({ state: 'hidden' })
  await first.close()

  const before = await (await fetch(site.url)).text()
  await insertPixel(site.database.db, { type: 'custom', code: '<script>window.more = true</script>' })
  await expect.poll(async () => (await (await fetch(site.url)).text()) === before).toBe(false)
  await visitInTypeface(() => open(context))
})

test('a browser that is never idle still does idle work', async () => {
  const context = await newVisitor('liberation', DESKTOP)
  await context.addInitScript(neverIdle)
  const page = await context.newPage()
  await page.goto(site.url)
  await until(page, () => document.querySelector('.later') === null)
  await page.locator('.art.live').waitFor({ state: 'attached' })
  await page.locator('link[rel=modulepreload]').first().waitFor({ state: 'attached' })
})

test('without scripts the style sheet requests the typeface', async () => {
  const context = await newVisitor('liberation', { ...DESKTOP, javaScriptEnabled: false })
  const page = await context.newPage()
  const asked = page.waitForRequest('**/*.woff2')
  await page.goto(site.url)
  await asked
})
