/**
 * The landing page: weight, throughput compared with nginx, Next.js and Astro, latency under load, Lighthouse compared
 * with an empty page. What is not available on this machine is named and skipped.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PAGE_BUDGETS } from '../scripts/bundles.ts'
import { startPortico } from './data-service-contenders.ts'
import { type FirstFrame, measureFirstFrame } from './measure-first-frame.ts'
import { measureFirstTap } from './measure-first-tap.ts'
import { measureLatency } from './measure-latency.ts'
import { type LighthouseRun, measureLighthouse } from './measure-lighthouse.ts'
import { measureThroughput, median } from './measure-throughput.ts'
import { measureWeight } from './measure-weight.ts'
import type { PageServer } from './page-server.ts'
import { readPageText } from './page-text.ts'
import { pinProcess } from './processor.ts'
import { serveEmptyPage } from './serve-empty-page.ts'
import { readServedPage } from './served-page.ts'
import { startAstro } from './start-astro.ts'
import { startNext } from './start-next.ts'
import { startNginx } from './start-nginx.ts'

export interface LandingOptions {
  rounds: number
  seconds: number
  lighthouseRuns: number
  /** Next.js and Astro take minutes to install and build. */
  frameworks: boolean
}

export interface LandingResult {
  /** Measure, value, target. */
  rows: string[][]
  missing: string[]
}

const OURS = 'Pórtico'

export async function benchLanding(options: LandingOptions): Promise<LandingResult> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const rows: string[][] = []
  const missing: string[] = []
  const servers: PageServer[] = []
  const attempt = async (name: string, work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      missing.push(`${name}: ${String((error as Error).message).split('\n')[0]}`)
    }
  }
  const portico = await startPortico(directory)
  try {
    const page = new URL('/', portico.request.url).href
    await attempt('page weight', async () => void rows.push(...(await weightRows())))
    pinProcess('server', portico.pid)
    servers.push({ name: OURS, url: page, pid: portico.pid, stop: () => portico.stop() })
    await attempt(
      'nginx',
      async () => void servers.push(await startNginx(directory, await readServedPage(page))),
    )
    if (options.frameworks) {
      const text = readPageText(await (await fetch(page)).text())
      await Promise.all([
        attempt('Next.js', async () => void servers.push(await startNext(directory, text))),
        attempt('Astro', async () => void servers.push(await startAstro(directory, text))),
      ])
    }
    await attempt(
      'throughput',
      async () => void rows.push(...throughputRows(await measureThroughput(servers, options))),
    )
    // The rest is about our page only: the others must not use the machine meanwhile.
    for (const other of servers.splice(1)) await other.stop()
    await attempt('latency', async () => {
      const p99 = await measureLatency(page, portico.request, options.seconds)
      rows.push(['p99 at 1,000 requests/s, dashboard in use', `${p99.toFixed(1)} ms`, '< 10 ms'])
    })
    await attempt('first tap', async () => {
      const tap = (slowdown: number) => measureFirstTap(page, options.lighthouseRuns, slowdown)
      rows.push(
        ['first tap answered, scripts prefetched', `${(await tap(1)).toFixed(0)} ms`, '≤ 200 ms'],
        ['the same, processor four times slower', `${(await tap(4)).toFixed(0)} ms`, ''],
      )
    })
    await attempt(
      'Lighthouse',
      async () => void rows.push(...(await lighthouseRows(page, options.lighthouseRuns))),
    )
  } finally {
    for (const server of servers) await server.stop()
    if (servers.length === 0) await portico.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  return { rows, missing }
}

async function weightRows(): Promise<string[][]> {
  const { html, upToHero, boot, scripts, font } = await measureWeight()
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(2)} KB`
  const atMost = (bytes: number) => `≤ ${bytes / 1000} KB`
  return [
    ['HTML with its style, brotli', kilobytes(html), atMost(PAGE_BUDGETS.html)],
    ['up to and including the hero', kilobytes(upToHero), atMost(PAGE_BUDGETS.upToHero)],
    ['script at load', kilobytes(boot), atMost(PAGE_BUDGETS.boot)],
    ['all scripts, fetched when idle', kilobytes(scripts), atMost(PAGE_BUDGETS.scripts)],
    ['font', kilobytes(font), ''],
  ]
}

/** nginx has none: it does not count visits and knows no pixels. */
const AIMS: Record<string, string> = {
  'next start': '≥ 100',
  'Astro, node server': '≥ 6',
}

function throughputRows(rates: Map<string, number>): string[][] {
  const ours = rates.get(OURS) ?? Number.NaN
  return [
    ['requests for a second of processor', ours.toFixed(0), ''],
    ...Array.from(rates)
      .filter(([name]) => name !== OURS)
      .map(([name, rate]) => {
        const ratio = ours / rate
        return [`times ${name} (${rate.toFixed(0)})`, ratio.toFixed(ratio < 10 ? 2 : 0), AIMS[name] ?? '']
      }),
  ]
}

async function lighthouseRows(page: string, runs: number): Promise<string[][]> {
  const empty = await serveEmptyPage()
  const ours: LighthouseRun[] = []
  const floor: LighthouseRun[] = []
  const firstFrame: string[][] = []
  try {
    for (let run = 0; run < runs; run++) {
      ours.push(await measureLighthouse(page))
      floor.push(await measureLighthouse(empty.url, { categories: ['performance'] }))
    }
    firstFrame.push(...firstFrameRows(await measureFirstFrame([page, empty.url])))
  } finally {
    await empty.stop()
  }
  const middle = (list: LighthouseRun[], key: 'fcp' | 'lcp' | 'tbt') => median(list.map((run) => run[key]))
  const paint = (key: 'fcp' | 'lcp', aim: string) => {
    const [mine, theirs] = [middle(ours, key), middle(floor, key)]
    const ratio = (mine / theirs).toFixed(2)
    return [
      `${key.toUpperCase()} beside an empty page (${theirs.toFixed(0)} ms)`,
      `${mine.toFixed(0)} ms, ${ratio}`,
      aim,
    ]
  }
  return [
    ...Object.keys(ours[0]?.scores ?? {}).map((category) => [
      `Lighthouse mobile, ${category}, least of ${runs}`,
      String(Math.min(...ours.map(({ scores }) => scores[category] ?? 0))),
      '100',
    ]),
    paint('fcp', '≤ 1.10'),
    paint('lcp', '≤ 1.13'),
    ['TBT', `${middle(ours, 'tbt').toFixed(0)} ms`, '≤ 50 ms'],
    ...firstFrame,
    ['CLS', String(Math.max(...ours.map(({ cls }) => cls))), '0'],
  ]
}

function firstFrameRows([mine, least]: FirstFrame[]): string[][] {
  const parts = ({ layout, style, parsing }: FirstFrame) =>
    [layout, style, parsing].map((time) => time.toFixed(0)).join(', ')
  if (mine === undefined || least === undefined) return []
  return [
    [
      `main thread before the first frame (empty page: ${least.all.toFixed(0)} ms)`,
      `${mine.all.toFixed(0)} ms`,
      '≤ 50 ms',
    ],
    [`of it layout, style and parsing (empty page: ${parts(least)} ms)`, `${parts(mine)} ms`, ''],
  ]
}
