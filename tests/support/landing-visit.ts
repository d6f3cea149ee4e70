import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { untilBooted } from './browser.ts'
import { until } from './until.ts'

declare global {
  var typefaceWorn: number | null
  var movements: { by: number; what: string[] }[]
}

/** What Chromium says of one; the standard library's types do not know it. */
interface LayoutShift {
  value: number
  sources: { node?: Node }[]
}

/** From its first moment on, each page of this visitor notes when its typeface was put on and how far things moved. */
export async function noteMovements(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    globalThis.typefaceWorn = null
    globalThis.movements = []
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as unknown as LayoutShift[])
        globalThis.movements.push({
          by: value,
          what: sources.map(({ node }) => (node instanceof Element ? node.outerHTML : `${node?.nodeValue}`)),
        })
    }).observe({ type: 'layout-shift', buffered: true })
    new MutationObserver(() => {
      if (document.documentElement?.className === 'typeset') globalThis.typefaceWorn ??= performance.now()
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ['class'] })
  })
}

/** Booted, and the last thing done that may move the page by itself: sections are laid out after the typeface came. */
export async function untilSettled(page: Page): Promise<void> {
  await untilBooted(page)
  await until(page, () => document.querySelector('.later') === null)
}

/** What a visit was like, in milliseconds of the page's own clock. */
export function recall(page: Page) {
  return page.evaluate(() => ({
    loaded: (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).loadEventStart,
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    worn: globalThis.typefaceWorn,
    asked:
      performance.getEntriesByType('resource').find(({ name }) => name.endsWith('.woff2'))?.startTime ?? null,
    movements: globalThis.movements,
  }))
}

/**
 * On a first visit the typeface is asked for when the page has come to its end, is worn all the same, and moves nothing.
 * The time of the first frame is no measure here: a busy machine shows it long after the page has drawn it.
 */
export async function expectFirstVisit(page: Page): Promise<void> {
  const first = await recall(page)
  expect(first.asked).toBeGreaterThan(first.loaded)
  expect(first.worn).toBeGreaterThan(first.asked ?? Number.NaN)
  expectNothingMoved(first)
}

/** A shift of less than 0.0001 is a thousandth of what counts as good: a mark of some pixels, in a section that scrolls by. */
export function expectNothingMoved({
  movements,
}: Pick<Awaited<ReturnType<typeof recall>>, 'movements'>): void {
  expect(movements.filter(({ by }) => by >= 0.0001)).toEqual([])
}
