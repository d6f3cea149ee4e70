import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM_FLAGS, findChromium } from '../tests/support/find-chromium.ts'
import { median } from './measure-throughput.ts'

const VISITS = 5

interface TraceEvent {
  name: string
  ph: string
  ts: number
  dur?: number
  pid: number
  tid: number
  /** Processor time of the thread in microseconds. */
  tdur?: number
  args?: { name?: string }
}

/** What the browser does, by the name of its events. */
const PARTS = { layout: 'Layout', style: 'UpdateLayoutTree', parsing: 'ParseHTML' } as const

/** Processor milliseconds. */
export type FirstFrame = Record<'all' | keyof typeof PARTS, number>

/**
 * What the page's main thread does until the first contentful paint, on the screen of a phone, for each address. First
 * visits, in turns, each in a process of its own, from whose trace the navigation itself may be missing.
 */
export async function measureFirstFrame(pages: readonly string[]): Promise<FirstFrame[]> {
  const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS })
  try {
    const frames = pages.map((): FirstFrame[] => [])
    for (let visit = 0; visit < VISITS; visit++)
      for (const [at, page] of pages.entries()) frames[at]?.push(await visitOnce(browser, page))
    return frames.map((visits) => {
      const middle = (part: keyof FirstFrame) => median(visits.map((frame) => frame[part]))
      return {
        all: middle('all'),
        layout: middle('layout'),
        style: middle('style'),
        parsing: middle('parsing'),
      }
    })
  } finally {
    await browser.close()
  }
}

async function visitOnce(browser: Browser, url: string): Promise<FirstFrame> {
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

function untilFirstFrame(events: readonly TraceEvent[]): FirstFrame {
  const painted = events.find(({ name }) => name === 'firstContentfulPaint')
  if (painted === undefined) throw new Error('the trace has no first frame')
  const main = events.find(
    ({ name, pid, args }) => name === 'thread_name' && pid === painted.pid && args?.name === 'CrRendererMain',
  )
  const before = events
    .filter(
      ({ ph, pid, tid, ts }) => ph === 'X' && pid === painted.pid && tid === main?.tid && ts < painted.ts,
    )
    .sort((one, other) => one.ts - other.ts || (other.dur ?? 0) - (one.dur ?? 0))
  const own = ownTimes(before)
  const parts = Object.entries(PARTS).map(([part, name]) => [part, own.get(name) ?? 0])
  const all = before.reduce((sum, { name, tdur = 0 }) => sum + (name === 'RunTask' ? tdur : 0), 0) / 1000
  return { all, ...Object.fromEntries(parts) }
}

/** Milliseconds of each kind of event, without the events inside of it. The events are in the order of their start. */
function ownTimes(events: readonly TraceEvent[]): Map<string, number> {
  const times = new Map<string, number>()
  const add = (name: string, milliseconds: number) => times.set(name, (times.get(name) ?? 0) + milliseconds)
  const open: TraceEvent[] = []
  for (const event of events) {
    while (open.length > 0 && endOf(open.at(-1)) <= event.ts) open.pop()
    const time = (event.tdur ?? 0) / 1000
    add(event.name, time)
    const outer = open.at(-1)
    if (outer !== undefined) add(outer.name, -time)
    open.push(event)
  }
  return times
}

function endOf({ ts = 0, dur = 0 }: Partial<TraceEvent> = {}): number {
  return ts + dur
}
