import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findChromium } from '../tests/support/find-chromium.ts'
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

/** One run of Lighthouse as on a phone. */
export async function measureLighthouse(url: string): Promise<LighthouseRun> {
  const folder = installNpmTool('lighthouse', toolVersion('lighthouse'))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      join(folder, 'cli/index.js'),
      url,
      '--output=json',
      '--quiet',
      '--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-component-update',
    ],
    { maxBuffer: 1e8, timeout: 180_000, env: { ...process.env, CHROME_PATH: findChromium() } },
  )
  const { categories, audits } = JSON.parse(stdout) as Report
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
