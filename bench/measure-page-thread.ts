import { setTimeout as wait } from 'node:timers/promises'
import { CONSENT_TEXT_VERSION } from '../src/contract/consent-choice.ts'
import { FRAMES_PATH } from '../src/contract/isolated-frame.ts'
import { TAG_REPORT_PATH } from '../src/contract/tag-report.ts'
import type { DevtoolsBrowser, DevtoolsSession } from './devtools-browser.ts'

/** Of a visitor who accepted everything earlier. */
const CONSENT = `${CONSENT_TEXT_VERSION}.dm.dm.0b6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d3e`
/** The script that starts tags is held until the page is quiet, so that its own start is not measured. */
const STARTER = '*/assets/run-tags-*.js'
const QUIET_MS = 3_000
/** About as long as a visit with tags takes until its report. */
const VISIT_MS = 9_000

interface VisitOptions {
  url: string
  slowdown: number
  hasTags: boolean
  /** Opens the isolated frames without the page's code for them. */
  isBare: boolean
}

export interface PageThread {
  /** Main-thread time of the page's process in milliseconds, from the tags' start until their report. */
  ms: number
  script: number
  /** Layout shift in that time. */
  shift: number
  /** Frames in another process than the page's. */
  apart: number
}

export async function measurePageThread(
  browser: DevtoolsBrowser,
  { url, slowdown, hasTags, isBare }: VisitOptions,
): Promise<PageThread> {
  const page = await browser.open()
  try {
    const start = Promise.withResolvers<void>()
    const reported = Promise.withResolvers<void>()
    page.on('Fetch.requestPaused', async ({ requestId, request }) => {
      if ((request as { url: string }).url.endsWith(TAG_REPORT_PATH)) reported.resolve()
      else await start.promise
      await page.send('Fetch.continueRequest', { requestId })
    })
    const patterns = [STARTER, `*${TAG_REPORT_PATH}`].map((urlPattern) => ({ urlPattern }))
    await page.send('Fetch.enable', { patterns })
    await page.send('Network.setCookie', { name: 'portico_consent', value: CONSENT, url })
    await page.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await page.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.send('Page.navigate', { url })
    await evaluate(
      page,
      `new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))`,
    )
    await evaluate(page, 'new Promise((done) => requestIdleCallback(done))')
    await wait(QUIET_MS)
    await evaluate(page, `(${observe})()`)
    const before = await readSeconds(page)
    if (isBare) await evaluate(page, `(${openBare})(${JSON.stringify(await framesOf(page, url))})`)
    if (hasTags) {
      start.resolve()
      await reported.promise
    } else await wait(VISIT_MS)
    const after = await readSeconds(page)
    const shift = await evaluate<number>(page, 'window.shift')
    const frames = { filter: [{ type: 'iframe' }] }
    const { targetInfos } = await browser.send<{ targetInfos: unknown[] }>('Target.getTargets', frames)
    return {
      ms: (after.task - before.task) * 1000,
      script: (after.script - before.script) * 1000,
      shift,
      apart: targetInfos.length,
    }
  } finally {
    await page.close()
  }
}

/** Addresses of the isolated frames of the page's tags. */
async function framesOf(page: DevtoolsSession, url: string): Promise<string[]> {
  const set = await evaluate<string>(page, 'document.documentElement.dataset.tags')
  const manifest = await (await fetch(new URL(`/tags/${set}.js`, url))).text()
  return [...manifest.matchAll(/"room":"([^"]+)"/g)].map(([, hash]) => `${FRAMES_PATH}${hash}/`)
}

/** As the page opens them, and nothing more: a frame without messages does nothing. */
async function openBare(addresses: string[]): Promise<void> {
  for (const address of addresses) {
    await new Promise((done) => requestIdleCallback(done))
    const frame = document.createElement('iframe')
    frame.sandbox.add('allow-scripts')
    frame.style.cssText = 'position:absolute;width:1px;height:1px;border:0;visibility:hidden'
    frame.src = address
    document.body.append(frame)
  }
}

function observe(): void {
  Object.assign(window, { shift: 0 })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      Object.assign(window, { shift: window.shift + (entry as PerformanceEntry & { value: number }).value })
  }).observe({ type: 'layout-shift' })
}

declare global {
  interface Window {
    shift: number
  }
}

async function evaluate<Result>(page: DevtoolsSession, expression: string): Promise<Result> {
  const options = { expression, awaitPromise: true, returnByValue: true }
  const { result } = await page.send<{ result: { value: Result } }>('Runtime.evaluate', options)
  return result.value
}

async function readSeconds(page: DevtoolsSession): Promise<{ task: number; script: number }> {
  type Metrics = { metrics: { name: string; value: number }[] }
  const { metrics } = await page.send<Metrics>('Performance.getMetrics')
  const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN
  return { task: of('TaskDuration'), script: of('ScriptDuration') }
}
