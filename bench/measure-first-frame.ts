import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM_FLAGS, findChromium } from '../tests/support/find-chromium.ts'
import { median } from './measure-throughput.ts'

const VISITS = 5

interface TraceEvent {
  name: string
  ph: string
  ts: number
  pid: number
  tid: number
  /** Processor time of the thread in microseconds. */
  tdur?: number
  args?: { name?: string }
}

/**
 * Processor milliseconds of the page's main thread until the first contentful paint, on the screen of a phone, for each
 * address. First visits, in turns, each in a process of its own, from whose trace the navigation itself may be missing.
 */
export async function measureFirstFrame(pages: readonly string[]): Promise<number[]> {
  const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS })
  try {
    const times = pages.map((): number[] => [])
    for (let visit = 0; visit < VISITS; visit++)
      for (const [at, page] of pages.entries()) times[at]?.push(await visitOnce(browser, page))
    return times.map(median)
  } finally {
    await browser.close()
  }
}

async function visitOnce(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({
    viewport: { width: 412, height: 823 },
    deviceScaleFactor: 1.75,
    isMobile: true,
    hasTouch: true,
  })
  try {
    const page = await context.newPage()
    await browser.startTracing(page, {
      categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'loading', '__metadata'],
    })
    await page.goto(url)
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
      traceEvents: TraceEvent[]
    }
    return untilFirstFrame(traceEvents)
  } finally {
    await context.close()
  }
}

function untilFirstFrame(events: readonly TraceEvent[]): number {
  const painted = events.find(({ name }) => name === 'firstContentfulPaint')
  if (painted === undefined) throw new Error('the trace has no first frame')
  const main = events.find(
    ({ name, pid, args }) => name === 'thread_name' && pid === painted.pid && args?.name === 'CrRendererMain',
  )
  const tasks = events.filter(
    ({ name, ph, pid, tid, ts }) =>
      name === 'RunTask' && ph === 'X' && pid === painted.pid && tid === main?.tid && ts < painted.ts,
  )
  return tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1000
}
