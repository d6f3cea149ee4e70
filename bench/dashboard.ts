/**
 * Ten thousand pixels compared with a list of a hundred in the same run: the time until the list is shown, and main-thread
 * time of a click and a scroll. The machine's speed affects both, so the ratio is the budget.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { CHROMIUM_FLAGS, findChromium } from '../tests/support/find-chromium.ts'
import { addPixels } from './add-pixels.ts'
import { type Contender, CREDENTIALS, startPortico } from './data-service-contenders.ts'
import { median } from './measure-throughput.ts'

const SHORT_LIST = 100
const OPENINGS = 7
const CLICKS = 9
const STEPS = 15

interface Costs {
  opening: number
  click: number
  scroll: number
}

/** Measure, value, target. `pixels` are in the long list. */
export async function benchDashboard({ pixels }: { pixels: number }): Promise<string[][]> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const portico = await startPortico(directory)
  const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS })
  try {
    await addPixels(portico, SHORT_LIST - 50)
    const short = await measureCosts(browser, portico, '100 pixels')
    await addPixels(portico, pixels - SHORT_LIST)
    const long = await measureCosts(browser, portico, `${pixels.toLocaleString('pt-BR')} pixels`)
    const row = (what: string, of: keyof Costs, aim: string) => [
      `${what}, ${pixels.toLocaleString('en')} pixels beside ${SHORT_LIST}`,
      `${long[of].toFixed(1)} and ${short[of].toFixed(1)} ms, ${(long[of] / short[of]).toFixed(2)} times`,
      aim,
    ]
    return [
      row('list shown after a reload', 'opening', '≤ 1.5 times'),
      row('click on a status, main thread', 'click', '≤ 4 times'),
      row('step of a scroll, main thread', 'scroll', '≤ 2 times'),
    ]
  } finally {
    await browser.close()
    await portico.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function measureCosts(browser: Browser, { request }: Contender, count: string): Promise<Costs> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'pt-BR' })
  try {
    const page = await context.newPage()
    await page.goto(new URL('/admin', request.url).href)
    await page.getByLabel('Email').fill(CREDENTIALS.email)
    await page.getByLabel('Senha', { exact: true }).fill(CREDENTIALS.password)
    await page.getByRole('button', { name: 'Entrar', exact: true }).click()
    await page.getByText(count).waitFor()
    await page.addInitScript(noteWhenListed)
    const openings: number[] = []
    for (let opening = 0; opening < OPENINGS; opening++) openings.push(await reload(page))
    const cdp = await context.newCDPSession(page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
    const clicks: number[] = []
    for (let click = 0; click < CLICKS; click++) clicks.push(await costOf(cdp, () => clickAndPaint(page)))
    const steps: number[] = []
    for (let step = 0; step < STEPS; step++) steps.push(await costOf(cdp, () => scrollAndPaint(page)))
    return { opening: median(openings), click: median(clicks), scroll: median(steps) }
  } finally {
    await context.close()
  }
}

/** Runs in the page: notes when the frame after the first row is done. */
function noteWhenListed(): void {
  new MutationObserver((_changes, observer) => {
    if (document.querySelector('tbody [role="switch"]') === null) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => Object.assign(window, { listedAt: performance.now() })))
  }).observe(document, { subtree: true, childList: true })
}

/** Milliseconds from the navigation until the list is shown. */
async function reload(page: Page): Promise<number> {
  await page.reload()
  const listed = await page.waitForFunction(() => (window as { listedAt?: number }).listedAt)
  return (await listed.jsonValue()) ?? Number.NaN
}

/** Milliseconds of the page's main-thread CPU time. */
async function costOf(cdp: CDPSession, work: () => Promise<void>): Promise<number> {
  const before = await busySeconds(cdp)
  await work()
  return ((await busySeconds(cdp)) - before) * 1000
}

async function busySeconds(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
}

/** Done when the frame after the click shows its result. */
function clickAndPaint(page: Page): Promise<void> {
  return page.evaluate(async () => {
    // Looked up each time: an answer may draw the row anew.
    const badge = () => document.querySelector<HTMLElement>('tbody [role="switch"]')
    const before = badge()?.getAttribute('aria-checked')
    badge()?.click()
    const giveUpAt = performance.now() + 20_000
    while (badge()?.getAttribute('aria-checked') === before) {
      if (performance.now() > giveUpAt) throw new Error('the switch did not change')
      await new Promise(requestAnimationFrame)
    }
    await new Promise(requestAnimationFrame)
  })
}

/** The same distance on both lists, so that as many rows appear. */
function scrollAndPaint(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const list = document.querySelector('table')?.closest('.overflow-y-auto')
    if (!list) throw new Error('the list does not scroll')
    list.scrollTop += 300
    await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
  })
}
