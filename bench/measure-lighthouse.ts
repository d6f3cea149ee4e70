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
}

interface Report {
  categories: Record<string, { title: string; score: number | null }>
  audits: Record<string, { numericValue?: number }>
}

/** Lighthouse at times loses the browser's trace and asks to be run again; that says nothing of the page. */
const LOST_TRACE = /NO_NAVSTART|NO_TRACING_STARTED|please run lighthouse again/i
const ATTEMPTS = 3

/** One run of Lighthouse as on a phone. */
export async function measureLighthouse(url: string): Promise<LighthouseRun> {
  const { categories, audits } = JSON.parse(await runLighthouse(url)) as Report
  const value = (audit: string) => audits[audit]?.numericValue ?? Number.NaN
  return {
    scores: Object.fromEntries(
      Object.entries(categories).map(([id, { score }]) => [id, Math.round((score ?? 0) * 100)]),
    ),
    fcp: value('first-contentful-paint'),
    lcp: value('largest-contentful-paint'),
    tbt: value('total-blocking-time'),
    cls: value('cumulative-layout-shift'),
  }
}

async function runLighthouse(url: string, attempt = 1): Promise<string> {
  const folder = installNpmTool('lighthouse', toolVersion('lighthouse'))
  const command = [
    join(folder, 'cli/index.js'),
    url,
    '--output=json',
    '--quiet',
    `--chrome-flags=${['--headless=new', ...CHROMIUM_FLAGS].join(' ')}`,
  ]
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
    return runLighthouse(url, attempt + 1)
  }
}
