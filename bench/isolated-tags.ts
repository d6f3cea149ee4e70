/**
 * Costs of ten isolated tags for the page: main-thread time, on a processor slowed four times, from their start until
 * the page's report. Compared with ten frames of the same documents that never start, which is the browser's own cost.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VENDORS } from '../src/server/vendors/vendors.ts'
import { CHROMIUM_FLAGS, findChromium, findLightChromium } from '../tests/support/find-chromium.ts'
import { startVendors } from '../tests/support/vendor-stand-in.ts'
import { STAND_INS } from '../tests/support/vendor-stand-ins/stand-ins.ts'
import { type Contender, startPortico } from './data-service-contenders.ts'
import { type DevtoolsBrowser, launchUndriven } from './devtools-browser.ts'
import { measurePageThread } from './measure-page-thread.ts'

const COUNT = 10
const SLOWDOWN = 4
const AIM = '< 50 ms'

/** Names of the sets of pixels; one is active at a time. */
const SETS = {
  light: {
    runs_in: 'isolated',
    codes: Array.from(
      { length: COUNT },
      (_, at) =>
        `<script>document.cookie = 'visit${at}=1; max-age=60'; navigator.sendBeacon('https://cdn.custom-vendor.com/${at}')</script>`,
    ),
  },
  vendors: { runs_in: 'isolated', codes: vendorSnippets() },
  'vendors in the page': { runs_in: 'page', codes: vendorSnippets() },
} as const
type SetName = keyof typeof SETS

interface Case {
  what: string
  set?: SetName
  isBare?: boolean
  aim?: string
}

const CASES: readonly Case[] = [
  { what: 'no tag' },
  { what: 'ten frames that start nothing', set: 'light', isBare: true },
  { what: 'ten isolated tags, light', set: 'light', aim: AIM },
  { what: "ten isolated vendors' stand-ins", set: 'vendors', aim: AIM },
  { what: 'the same ten in the page', set: 'vendors in the page' },
]

/** Measure, value, target. */
export async function benchIsolatedTags(): Promise<string[][]> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const vendors = await startVendors()
  const portico = await startPortico(directory)
  const launch = (program: string, ...flags: string[]) =>
    launchUndriven(program, [...CHROMIUM_FLAGS, ...flagsFor(vendors.resolve), ...flags])
  const browsers: DevtoolsBrowser[] = []
  try {
    for (const [name, { codes, runs_in }] of Object.entries(SETS)) await add(portico, name, codes, runs_in)
    const apart = await launch(findChromium(), '--site-per-process')
    browsers.push(apart)
    const rows = await measureAll(portico, 'a process for the frames', apart, CASES)
    const together = await launch(findLightChromium(), '--disable-site-isolation-trials')
    browsers.push(together)
    rows.push(...(await measureAll(portico, 'one process for all', together, CASES.slice(-2))))
    return rows
  } finally {
    for (const browser of browsers) await browser.close()
    await portico.stop()
    await vendors.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** One visit for each case; the first visit of a browser is not counted. */
async function measureAll(
  portico: Contender,
  name: string,
  browser: DevtoolsBrowser,
  cases: readonly Case[],
): Promise<string[][]> {
  const { origin } = new URL(portico.request.url)
  const visit = async ({ set, isBare = false }: Case) => {
    await activate(portico, set)
    const hasTags = set !== undefined && !isBare
    return measurePageThread(browser, { url: `${origin}/`, slowdown: SLOWDOWN, hasTags, isBare })
  }
  for (const each of cases.slice(-1)) await visit(each)
  const rows: string[][] = []
  for (const each of cases) {
    const { ms, script, apart, shift } = await visit(each)
    const measured = `${ms.toFixed(0)} ms, ${script.toFixed(0)} of it scripts; frames apart ${apart}; CLS ${shift.toFixed(3)}`
    rows.push([`${each.what}, ${name}`, measured, each.aim ?? ''])
  }
  return rows
}

/** Snippets that name https: on http, those without a scheme would use http. */
function vendorSnippets(): string[] {
  return STAND_INS.filter(({ vendor }) => VENDORS.find(({ id }) => id === vendor)?.isolated === 'works')
    .map(({ snippet, account }) => snippet(account))
    .filter((code) => !/['"]\/\//.test(code))
    .slice(0, COUNT)
}

function flagsFor(resolve: Record<string, string>): string[] {
  const maps = Object.entries(resolve).map(([host, target]) => `MAP ${host} ${target}`)
  const rules = [...maps, 'MAP * ~NOTFOUND', 'EXCLUDE localhost', 'EXCLUDE 127.0.0.1'].join(',')
  return [`--host-resolver-rules=${rules}`, '--ignore-certificate-errors', '--force-prefers-reduced-motion']
}

async function add(
  portico: Contender,
  name: string,
  codes: readonly string[],
  runs_in: string,
): Promise<void> {
  const common = { name, type: 'custom', is_active: false, consent_category: 'marketing', runs_in }
  await ask(
    portico,
    'POST',
    '',
    codes.map((code) => ({ ...common, code })),
  )
}

async function activate(portico: Contender, name: SetName | undefined): Promise<void> {
  await ask(portico, 'PATCH', '?is_active=eq.true', { is_active: false })
  if (name !== undefined)
    await ask(portico, 'PATCH', `?name=eq.${encodeURIComponent(name)}`, { is_active: true })
}

async function ask({ request }: Contender, method: string, query: string, body: object): Promise<void> {
  const headers = { ...request.headers, 'content-type': 'application/json' }
  const url = new URL(`/rest/v1/tracking_pixels${query}`, request.url)
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${query}: ${answer.status} ${await answer.text()}`)
}
