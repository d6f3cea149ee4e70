import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { untilBooted } from './browser.ts'
import { until } from './until.ts'

declare global {
  var headlineWidths: number[]
  var movements: { by: number; what: string[] }[]
}

/** What Chromium says of one; the standard library's types do not know it. */
interface LayoutShift {
  value: number
  sources: { node?: Node }[]
}

/** From its first frame on, each page of this visitor notes every width that its headline has, and how far things moved. */
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
      if (headline !== null) {
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
 * Share of the words of the hero that are drawn in the typeface: their widths are compared with those in the device's
 * font. Nothing is drawn in between. For `evaluate` in any engine.
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

/** Booted, and every section laid out: nothing more moves the page by itself. */
export async function untilSettled(page: Page): Promise<void> {
  await untilBooted(page)
  await until(page, () => document.querySelector('.later') === null)
}

/** The typeface has come, for this visit or the next. */
export function untilTypefaceCame(page: Page): Promise<void> {
  return until(page, () =>
    performance
      .getEntriesByType('resource')
      .some((entry) => entry.name.endsWith('.woff2') && (entry as PerformanceResourceTiming).responseEnd > 0),
  )
}

/** Scrolls through the whole page, a frame or two per step. */
export function readToTheEnd(page: Page): Promise<void> {
  return page.evaluate(async () => {
    for (let top = 0; top < document.documentElement.scrollHeight; top += 800) {
      scrollTo({ top, behavior: 'instant' })
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    }
  })
}

/** What a visit was like, in milliseconds of the page's own clock. */
async function recall(page: Page) {
  const typeface = await page.evaluate(shareInTypeface)
  const visit = await page.evaluate(() => ({
    loaded: (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).loadEventStart,
    asked:
      performance.getEntriesByType('resource').find(({ name }) => name.endsWith('.woff2'))?.startTime ?? null,
    movements: globalThis.movements,
    headlineWidths: globalThis.headlineWidths,
  }))
  return { ...visit, typeface }
}

/**
 * On a first visit the page stays in the device's font, and the typeface is asked for once the page has come to its end.
 * The time of the first frame is no measure here: a busy machine shows it long after the page has drawn it.
 */
export async function expectFirstVisit(page: Page): Promise<void> {
  await untilTypefaceCame(page)
  const { loaded, asked, ...look } = await recall(page)
  expect(asked).toBeGreaterThan(loaded)
  expectSteady(look)
  expect(look.typeface).toBe(0)
}

/** On a later visit the typeface is asked for before the first frame, and drawn from that frame on or not at all. */
export async function expectLaterVisit(page: Page): Promise<void> {
  const { loaded, asked, ...look } = await recall(page)
  expect(asked).toBeLessThan(loaded)
  expectSteady(look)
}

/** A browser waits for an optional font for a moment only: one that is busy with other work may not have read its cache by then. */
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

/** The page stays as its first frame was, in the device's font. */
export async function expectNoTypeface(page: Page): Promise<void> {
  const look = await recall(page)
  expectSteady(look)
  expect(look.typeface).toBe(0)
}

/** A shift of less than 0.0001 is a thousandth of what counts as good: a mark of some pixels, in a section that scrolls by. */
function expectSteady({
  movements,
  headlineWidths,
}: Pick<Awaited<ReturnType<typeof recall>>, 'movements' | 'headlineWidths'>): void {
  expect(movements.filter(({ by }) => by >= 0.0001)).toEqual([])
  expect(headlineWidths).toHaveLength(1)
}
