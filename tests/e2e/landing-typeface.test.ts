import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { DESKTOP, launchBrowser, PHONE, untilBooted, watchConsole } from '../support/browser.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let site: TestApp
let browser: Browser
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

const TABLET = { viewport: { width: 768, height: 1024 } }

/** What a visit was like, in milliseconds of the page's own clock. */
interface Visit {
  painted: number
  worn: number | null
  asked: number | null
  shift: number
  /** Whether this machine has one of the fonts that were brought to the typeface's widths. */
  near: boolean
}

declare global {
  var typefaceWorn: number | null
  var layoutShift: number
}

async function newVisitor(options: Parameters<Browser['newContext']>[0]): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const messages = watchConsole(context)
  onTestFinished(() => expect(messages).toEqual([]))
  await context.addInitScript(() => {
    globalThis.typefaceWorn = null
    globalThis.layoutShift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        globalThis.layoutShift += (entry as { value?: number }).value ?? 0
    }).observe({ type: 'layout-shift', buffered: true })
    new MutationObserver(() => {
      if (document.documentElement?.className === 'typeset') globalThis.typefaceWorn ??= performance.now()
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ['class'] })
  })
  return context
}

async function visit(context: BrowserContext, prepare?: (page: Page) => Promise<unknown>): Promise<Visit> {
  const page = await context.newPage()
  await prepare?.(page)
  await page.goto(site.url)
  await untilBooted(page)
  // Sections are laid out once the question of the typeface is settled.
  await page.waitForFunction(() => document.querySelector('.later') === null)
  const seen = await page.evaluate(() => ({
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    worn: globalThis.typefaceWorn,
    asked:
      performance.getEntriesByType('resource').find(({ name }) => name.endsWith('.woff2'))?.startTime ?? null,
    shift: globalThis.layoutShift,
    near: Array.from(document.fonts).some(
      ({ family, status }) => family.includes('Near') && status === 'loaded',
    ),
  }))
  await page.close()
  return seen
}

test.each([
  ['a small phone', { ...PHONE, viewport: { width: 320, height: 640 } }],
  ['a phone', PHONE],
  ['a tablet', TABLET],
  ['a notebook', { viewport: { width: 1280, height: 720 } }],
  ['a desktop', DESKTOP],
])(
  'on %s the typeface comes after the first frame of the first visit, and moves nothing',
  async (_name, screen) => {
    const context = await newVisitor(screen)
    const first = await visit(context)
    expect(first.asked).toBeGreaterThan(first.painted)
    if (first.near) expect(first.worn).not.toBeNull()
    expect(first.worn ?? Number.POSITIVE_INFINITY).toBeGreaterThan(first.painted)
    expect(first.shift).toBe(0)
    const second = await visit(context)
    expect(second.worn).toBeLessThan(second.painted)
    expect(second.shift).toBe(0)
  },
)

test('a typeface that would move what is read is not worn on this visit', async () => {
  const context = await newVisitor(TABLET)
  const wide = await visit(context, (page) =>
    page.route(site.url, async (route) => {
      const answer = await route.fetch()
      const headers = { ...answer.headers() }
      // The style is named by its hash, and no longer is what it was.
      delete headers['content-security-policy']
      const body = (await answer.text()).replace(
        /size-adjust:([\d.]+)%/g,
        (_all, percent) => `size-adjust:${percent * 1.2}%`,
      )
      await route.fulfill({ response: answer, headers, body })
    }),
  )
  expect(wide).toMatchObject({ worn: null, shift: 0 })
  expect(wide.asked).toBeGreaterThan(wide.painted)
})

test('without the typeface the page goes on in its fallback', async () => {
  const context = await browser.newContext(PHONE)
  onTestFinished(() => context.close())
  await context.route('**/*.woff2', (route) => route.abort())
  const page = await context.newPage()
  await page.goto(site.url)
  await untilBooted(page)
  await page.waitForFunction(() => document.querySelector('.later') === null)
  expect(await page.evaluate(() => document.documentElement.className)).toBe('')
})

test('without scripts the typeface is asked for by the style', async () => {
  const context = await newVisitor({ ...DESKTOP, javaScriptEnabled: false })
  const page = await context.newPage()
  const asked = page.waitForRequest('**/*.woff2')
  await page.goto(site.url)
  await asked
})
