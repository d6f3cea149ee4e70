import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { untilBooted } from './browser.ts'
import { until } from './until.ts'

declare global {
  var headlineWidths: number[]
  var movements: { by: number; what: string[] }[]
}

/** Chromium's entry; missing in the standard library's types. */
interface LayoutShift {
  value: number
  sources: { node?: Node }[]
}

/** From its first frame on, each page of this visitor records every width of its headline, and layout shifts. */
export async function noteMovements(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    globalThis.headlineWidths = []
    globalThis.movements = []
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as unknown as LayoutShift[])
        globalThis.movements.push({
          by: value,
          what: sources.map(({ node }) => (node instanceof Element ? node.outerHTML : `${node?.nodeValue}`)),
        })
    }).observe({ type: 'layout-shift', buffered: true })
    const noteHeadline = () => {
      const headline = document.querySelector('h1')
      // It is hidden until the whole hero has been parsed.
      if (headline?.checkVisibility({ visibilityProperty: true })) {
        const range = document.createRange()
        range.selectNodeContents(headline)
        const { width } = range.getBoundingClientRect()
        if (!globalThis.headlineWidths.includes(width)) globalThis.headlineWidths.push(width)
      }
      requestAnimationFrame(noteHeadline)
    }
    requestAnimationFrame(noteHeadline)
  })
}

/**
 * Share of the hero's words drawn in the typeface, by comparing widths with the device's font. Nothing is drawn in
 * between. For `evaluate` in any engine.
 */
export function shareInTypeface(): number {
  const { style } = document.documentElement
  const widths = () => {
    const found: number[] = []
    const texts = document.createTreeWalker(document.querySelector('.hero') as Element, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (text.parentElement?.closest('svg, .art') !== null) continue
      for (const { 0: word, index } of (text as Text).data.matchAll(/\S+/g)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        found.push(range.getBoundingClientRect().width)
      }
    }
    return found
  }
  const shown = widths()
  style.setProperty('--sans', 'var(--near)')
  const near = widths()
  style.removeProperty('--sans')
  return shown.filter((width, index) => Math.abs(width - (near[index] ?? 0)) > 0.05).length / shown.length
}

/** Booted, and every section laid out: nothing more moves by itself. */
export async function untilSettled(page: Page): Promise<void> {
  await untilBooted(page)
  await until(page, () => document.querySelector('.later') === null)
}

/** The typeface has arrived, for this visit or the next. */
export function untilTypefaceCame(page: Page): Promise<void> {
  return until(page, () =>
    performance
      .getEntriesByType('resource')
      .some((entry) => entry.name.endsWith('.woff2') && (entry as PerformanceResourceTiming).responseEnd > 0),
  )
}

/** Scrolls through the whole page, a frame or two per step. */
export async function readToTheEnd(page: Page): Promise<void> {
  const heightOf = () => page.evaluate(() => document.documentElement.scrollHeight)
  for (let top = 0; top < (await heightOf()); top += 800) {
    await page.evaluate((to) => scrollTo({ top: to, behavior: 'instant' }), top)
    await untilDrawn(page)
  }
}

/** Two frames later, or soon: a busy browser may draw no frame of a page that does not change. */
export function untilDrawn(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((drawn) => {
        requestAnimationFrame(() => requestAnimationFrame(() => drawn()))
        setTimeout(drawn, 1_000)
      }),
  )
}

/** Facts of a visit, in milliseconds of the page's clock. */
async function recall(page: Page) {
  const typeface = await page.evaluate(shareInTypeface)
  const visit = await page.evaluate(() => ({
    parsed: (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming)
      .domContentLoadedEventStart,
    asked:
      performance.getEntriesByType('resource').find(({ name }) => name.endsWith('.woff2'))?.startTime ?? null,
    movements: globalThis.movements,
    headlineWidths: globalThis.headlineWidths,
  }))
  return { ...visit, typeface }
}

/**
 * On a first visit the page keeps the device's font, and requests the typeface after the page was parsed. The time of
 * the first frame is not used: a busy machine shows it late.
 */
export async function expectFirstVisit(page: Page): Promise<void> {
  await untilTypefaceCame(page)
  const { parsed, asked, ...look } = await recall(page)
  expect(asked).toBeGreaterThan(parsed)
  expectSteady(look)
  expect(look.typeface).toBe(0)
}

/** On a later visit the typeface is requested before the first frame, and used from that frame on or not at all. */
export async function expectLaterVisit(page: Page): Promise<void> {
  const { parsed, asked, ...look } = await recall(page)
  expect(asked).toBeLessThan(parsed)
  expectSteady(look)
}

/** A browser waits only briefly for an optional font: a busy one may not have read its cache by then. */
const MOST_VISITS = 8

/** A later visit in the typeface. */
export async function visitInTypeface(open: () => Promise<Page>): Promise<Page> {
  for (let visit = 0; visit < MOST_VISITS; visit++) {
    const page = await open()
    await expectLaterVisit(page)
    if ((await page.evaluate(shareInTypeface)) > 0.5) return page
    await page.close()
  }
  throw new Error(`none of ${MOST_VISITS} later visits was in the typeface`)
}

/** The page keeps the device's font. */
export async function expectNoTypeface(page: Page): Promise<void> {
  const look = await recall(page)
  expectSteady(look)
  expect(look.typeface).toBe(0)
}

/** A shift below 0.0001 is a thousandth of a good value: a mark of some pixels in a section that scrolls by. */
function expectSteady({
  movements,
  headlineWidths,
}: Pick<Awaited<ReturnType<typeof recall>>, 'movements' | 'headlineWidths'>): void {
  expect(movements.filter(({ by }) => by >= 0.0001)).toEqual([])
  expect(headlineWidths).toHaveLength(1)
}
