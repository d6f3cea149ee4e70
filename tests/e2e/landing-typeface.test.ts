import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DESKTOP, launchBrowser, neverIdle, PHONE, watchConsole } from '../support/browser.ts'
import { FONT_WORLDS, type FontWorld } from '../support/font-worlds.ts'
import { expectFirstVisit, noteMovements, recall, untilSettled } from '../support/landing-visit.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { until } from '../support/until.ts'

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
  await page.goto(site.url)
  await untilSettled(page)
  return page
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

/** Phones, desktops and second visits are in landing-fonts.test.ts, with what else is looked at there. */
const SCREENS = {
  'a small phone': { ...PHONE, viewport: { width: 320, height: 640 } },
  'a notebook': { viewport: { width: 1280, height: 720 } },
  'a large screen': { viewport: { width: 1920, height: 1080 } },
}

const CHANGES: [number, string, (page: Page) => Promise<void>][] = [
  [1.02, 'the window gets another width', (page) => page.setViewportSize({ width: 700, height: 1024 })],
  [
    0.98,
    'somebody translates a text',
    (page) =>
      page.evaluate(() => {
        const lead = document.querySelector('.hero .lead')
        if (lead) lead.textContent = 'Cards, debit and PIX for whoever sells in high volume. '.repeat(4)
      }),
  ],
]

describe.each(FONT_WORLDS)('with the fonts of %s', (fonts) => {
  test.each(Object.entries(SCREENS))(
    'on %s the typeface is worn after the first frame of the first visit, and moves nothing',
    async (_name, screen) => {
      await expectFirstVisit(await open(await newVisitor(fonts, screen)))
    },
  )

  test.each(CHANGES)(
    'with letters of %s times the widths lines stay as they are until %s',
    async (factor, _name, change) => {
      const context = await newVisitor(fonts, TABLET)
      await widenFallback(context, factor)
      const page = await context.newPage()
      let before: [string, number][] = []
      await context.route('**/*.woff2', async (route) => {
        before = await words(page)
        await route.continue()
      })
      await page.goto(site.url)
      await untilSettled(page)
      await expectFirstVisit(page)
      const after = await words(page)
      expect(after.length).toBeGreaterThan(20)
      expect(after.map(([word]) => word)).toEqual(before.map(([word]) => word))
      const moved = after.filter(([, middle], index) => Math.abs(middle - (before[index]?.[1] ?? 0)) > 2)
      expect(moved).toEqual([])

      const held = () => page.locator('main [style]:not([style=""])').count()
      expect(await held()).toBeGreaterThan(0)
      await change(page)
      await expect.poll(held).toBe(0)
      expect(await page.locator('.hero .lead').textContent()).not.toContain('\n')
    },
  )
})

test('a typeface that does not fit where its fallback stood is not worn on this visit', async () => {
  const context = await newVisitor('liberation', SCREENS['a small phone'])
  await widenFallback(context, 0.6)
  const visit = await recall(await open(context))
  expect(visit).toMatchObject({ worn: null, movements: [] })
  expect(visit.asked).toBeGreaterThan(visit.loaded)
})

/** So that it is worn within a second of the first frame wherever its file comes within one. */
test('between the first frame and the typeface stand its file and the boot script: no timer, no other answer', async () => {
  const context = await newVisitor('liberation', DESKTOP)
  await context.addInitScript(() => {
    globalThis.setTimeout = (() => 0) as unknown as typeof setTimeout
    globalThis.setInterval = globalThis.setTimeout as unknown as typeof setInterval
  })
  const unanswered: string[] = []
  await context.route(
    ({ pathname }) => !/^\/$|^\/assets\/boot-|\.woff2$/.test(pathname),
    (route) => void unanswered.push(route.request().url()),
  )
  const page = await context.newPage()
  await page.goto(site.url)
  await until(page, () => globalThis.typefaceWorn !== null)
  expect(unanswered).not.toEqual([])
})

test('a browser that is never idle does all the same whatever waits for an idle moment', async () => {
  const context = await newVisitor('liberation', DESKTOP)
  await context.addInitScript(neverIdle)
  const page = await context.newPage()
  await page.goto(site.url)
  await until(page, () => globalThis.typefaceWorn !== null)
  await until(page, () => document.querySelector('.later') === null)
  await page.locator('.art.live').waitFor({ state: 'attached' })
  await page.locator('link[rel=modulepreload]').first().waitFor({ state: 'attached' })
})

test('without scripts the typeface is asked for by the style', async () => {
  const context = await newVisitor('liberation', { ...DESKTOP, javaScriptEnabled: false })
  const page = await context.newPage()
  const asked = page.waitForRequest('**/*.woff2')
  await page.goto(site.url)
  await asked
})
