import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CHROMIUM_FLAGS, findChromium } from '../tests/support/find-chromium.ts'
import { installNpmTool } from '../tests/support/install-npm-tool.ts'
import { toolVersion } from './tool-version.ts'

export interface LighthouseRun {
  /** 0 to 100, by category. */
  scores: Record<string, number>
  fcp: number
  lcp: number
  tbt: number
  cls: number
  /** All requests of the page. */
  requests: number
  kilobytes: number
}

interface Report {
  categories: Record<string, { title: string; score: number | null }>
  audits: Record<string, { numericValue?: number; details?: { items?: unknown[] } }>
}

/** Lighthouse sometimes loses the browser's trace and asks to be run again. */
const LOST_TRACE = /NO_NAVSTART|NO_TRACING_STARTED|please run lighthouse again/i
const ATTEMPTS = 3

interface LighthouseOptions {
  /** Of Chromium, without spaces. */
  flags?: readonly string[]
  /** Without these, all are judged, which takes longer. */
  categories?: readonly string[]
}

/** One run of Lighthouse as on a phone. */
export async function measureLighthouse(
  url: string,
  { flags = [], categories: only = [] }: LighthouseOptions = {},
): Promise<LighthouseRun> {
  const options = [
    `--chrome-flags=${['--headless=new', ...CHROMIUM_FLAGS, ...flags].join(' ')}`,
    ...only.map((category) => `--only-categories=${category}`),
  ]
  const { categories, audits } = JSON.parse(await runLighthouse(url, options)) as Report
  const value = (audit: string) => audits[audit]?.numericValue ?? Number.NaN
  return {
    scores: Object.fromEntries(
      Object.entries(categories).map(([id, { score }]) => [id, Math.round((score ?? 0) * 100)]),
    ),
    fcp: value('first-contentful-paint'),
    lcp: value('largest-contentful-paint'),
    tbt: value('total-blocking-time'),
    cls: value('cumulative-layout-shift'),
    requests: audits['network-requests']?.details?.items?.length ?? Number.NaN,
    kilobytes: value('total-byte-weight') / 1000,
  }
}

async function runLighthouse(url: string, options: readonly string[], attempt = 1): Promise<string> {
  const folder = installNpmTool('lighthouse', toolVersion('lighthouse'))
  const command = [join(folder, 'cli/index.js'), url, '--output=json', '--quiet', ...options]
  try {
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      maxBuffer: 1e8,
      timeout: 180_000,
      env: { ...process.env, CHROME_PATH: findChromium() },
    })
    return stdout
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr)
    if (attempt === ATTEMPTS || !LOST_TRACE.test(said)) throw new Error(said.split('\n')[0], { cause: error })
    return runLighthouse(url, options, attempt + 1)
  }
}
