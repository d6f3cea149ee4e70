import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DESKTOP, launchBrowser, PHONE, untilBooted, watchConsole } from '../support/browser.ts'
import { FONT_WORLDS, type FontWorld } from '../support/font-worlds.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let site: TestApp
const browsers = new Map<FontWorld, Browser>()
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  for (const fonts of FONT_WORLDS) browsers.set(fonts, await launchBrowser({ fonts }))
})
afterAll(async () => {
  for (const browser of browsers.values()) await browser.close()
  await site.close()
})

const TABLET = { viewport: { width: 768, height: 1024 } }

declare global {
  var typefaceWorn: number | null
  var layoutShift: number
}

async function newVisitor(fonts: FontWorld, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await (browsers.get(fonts) as Browser).newContext(options)
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

async function open(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.goto(site.url)
  await untilBooted(page)
  // Sections are laid out once the question of the typeface is settled.
  await page.waitForFunction(() => document.querySelector('.later') === null)
  return page
}

/** What a visit was like, in milliseconds of the page's own clock. */
function recall(page: Page) {
  return page.evaluate(() => ({
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    worn: globalThis.typefaceWorn,
    asked:
      performance.getEntriesByType('resource').find(({ name }) => name.endsWith('.woff2'))?.startTime ?? null,
    shift: globalThis.layoutShift,
  }))
}

/** Each word of the first screen with the middle of its line. */
function words(page: Page): Promise<[string, number][]> {
  return page.evaluate(() => {
    const found: [string, number][] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (text.parentElement?.closest('svg, .art, script') !== null) continue
      for (const { 0: word, index } of (text as Text).data.matchAll(/\S+/g)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const line = range.getClientRects()[0]
        if (line && line.bottom < innerHeight) found.push([word, Math.round((line.top + line.bottom) / 2)])
      }
    }
    return found
  })
}

/** Serves the page with the widths of the device's fonts multiplied. */
async function widenFallback(context: BrowserContext, factor: number): Promise<void> {
  await context.route(`${site.url}/`, async (route) => {
    const answer = await route.fetch()
    const headers = { ...answer.headers() }
    // The style is named by its hash, and no longer is what it was.
    delete headers['content-security-policy']
    const body = (await answer.text()).replace(
      /size-adjust:([\d.]+)%/g,
      (_all, percent) => `size-adjust:${percent * factor}%`,
    )
    await route.fulfill({ response: answer, headers, body })
  })
}

describe.each(FONT_WORLDS)('with the fonts of %s', (fonts) => {
  test.each([
    ['a small phone', { ...PHONE, viewport: { width: 320, height: 640 } }],
    ['a phone', PHONE],
    ['a tablet', TABLET],
    ['a notebook', { viewport: { width: 1280, height: 720 } }],
    ['a desktop', DESKTOP],
    ['a large screen', { viewport: { width: 1920, height: 1080 } }],
  ])(
    'on %s the typeface is worn after the first frame of the first visit, and moves nothing',
    async (_name, screen) => {
      const context = await newVisitor(fonts, screen)
      const first = await recall(await open(context))
      expect(first.asked).toBeGreaterThan(first.painted)
      expect(first.worn).toBeGreaterThan(first.painted)
      expect(first.shift).toBe(0)
      const second = await recall(await open(context))
      expect(second.worn).toBeLessThan(second.painted)
      expect(second.shift).toBe(0)
    },
  )

  test.each([0.98, 1.02])(
    'lines stay as they are when the device has letters of %s times the widths',
    async (factor) => {
      const plain = await (browsers.get(fonts) as Browser).newContext(TABLET)
      onTestFinished(() => plain.close())
      await widenFallback(plain, factor)
      await plain.route('**/*.woff2', (route) => route.abort())
      const before = await words(await open(plain))

      const context = await newVisitor(fonts, TABLET)
      await widenFallback(context, factor)
      const page = await open(context)
      expect(await recall(page)).toMatchObject({ worn: expect.any(Number), shift: 0 })
      const after = await words(page)
      expect(after.map(([word]) => word)).toEqual(before.map(([word]) => word))
      const moved = after.filter(([, middle], index) => Math.abs(middle - (before[index]?.[1] ?? 0)) > 2)
      expect(moved).toEqual([])
    },
  )
})

test('a typeface that does not fit where its fallback stood is not worn on this visit', async () => {
  const context = await newVisitor('liberation', { viewport: { width: 320, height: 640 } })
  await widenFallback(context, 0.6)
  const visit = await recall(await open(context))
  expect(visit).toMatchObject({ worn: null, shift: 0 })
  expect(visit.asked).toBeGreaterThan(visit.painted)
})

test.each([
  ['the window gets another width', (page: Page) => page.setViewportSize({ width: 700, height: 1024 })],
  [
    'somebody translates a text',
    (page: Page) =>
      page.evaluate(() => {
        const lead = document.querySelector('.hero .lead')
        if (lead) lead.textContent = 'Cards, debit and PIX for whoever sells in high volume. '.repeat(4)
      }),
  ],
])('lines are free again once %s', async (_name, change) => {
  const context = await newVisitor('dejavu', TABLET)
  await widenFallback(context, 1.02)
  const page = await open(context)
  const held = () => page.locator('main [style]:not([style=""])').count()
  expect(await held()).toBeGreaterThan(0)
  await change(page)
  await expect.poll(held).toBe(0)
  const text = (await page.locator('.hero .lead').textContent()) ?? ''
  expect(text).not.toContain('\n')
})

test('without the typeface the page goes on in its fallback', async () => {
  const context = await (browsers.get('roboto') as Browser).newContext(PHONE)
  onTestFinished(() => context.close())
  await context.route('**/*.woff2', (route) => route.abort())
  const page = await open(context)
  expect(await page.evaluate(() => document.documentElement.className)).toBe('')
})

test('without scripts the typeface is asked for by the style', async () => {
  const context = await newVisitor('liberation', { ...DESKTOP, javaScriptEnabled: false })
  const page = await context.newPage()
  const asked = page.waitForRequest('**/*.woff2')
  await page.goto(site.url)
  await asked
})
