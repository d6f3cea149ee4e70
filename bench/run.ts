/**
 * `npm run bench`: every number of docs/reports/benchmarks.md, measured now, on this machine, and written there. A part is
 * not written if other programs used the processors before or after it, or other virtual machines during it. `--quick`
 * takes one short round of each on little data, without Next.js and Astro, and writes nothing; `--only=NAME,NAME` runs some
 * parts; `--dry` writes nothing. The last lines name what took how long, what is missing and what must not be believed.
 * `--only=year` is no part of a run without `--only`. Long runs are in `npm run soak`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { parseArgs } from 'node:util'
import { buildAll } from '../scripts/build-all.ts'
import { isBuildFresh } from '../scripts/build-stamp.ts'
import { benchChoices } from './choice-beside-checkpoints.ts'
import { benchCountVisits } from './count-visits.ts'
import { benchDashboard } from './dashboard.ts'
import { benchDataService } from './data-service.ts'
import { benchEvents, benchOutcomes } from './events.ts'
import { benchEventsPage } from './events-page.ts'
import { benchInstrument } from './instrument.ts'
import { benchIsolatedTags } from './isolated-tags.ts'
import { benchLanding } from './landing.ts'
import { benchOperation } from './operation.ts'
import { benchPageBesideDatabase } from './page-beside-database.ts'
import { formatTable } from './print-table.ts'
import { BUSY_SHARE, processorsInUse, readTicks, STOLEN_SHARE, stolenSince } from './processor.ts'
import { benchYear, YEAR } from './year.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    dry: { type: 'boolean', default: false },
  },
})

const REPORT = 'docs/reports/benchmarks.md'

/** A table's name in the report, and its rows. */
type Table = [name: string, rows: readonly (readonly string[])[]]

const missing: string[] = []
const busy: string[] = []
const durations: string[] = []

const { quick } = values

const PARTS: Record<string, () => Promise<Table[]>> = {
  landing: async () => {
    const landing = await benchLanding(
      quick
        ? { rounds: 1, seconds: 2, lighthouseRuns: 1, frameworks: false }
        : { rounds: 2, seconds: 4, lighthouseRuns: 3, frameworks: true },
    )
    missing.push(...landing.missing)
    return [['landing page', [['landing page', 'measured', 'target'], ...landing.rows]]]
  },
  visits: async () => {
    const rows = await benchCountVisits(quick ? { rounds: 1, seconds: 2 } : { rounds: 4, seconds: 4 })
    return [['counting visits', [['counting visits', 'measured', 'target'], ...rows]]]
  },
  data: async () => {
    const { rows, ratios } = await benchDataService(
      quick ? { rounds: 1, seconds: 2 } : { rounds: 3, seconds: 3 },
    )
    for (const [way, ratio] of Object.entries(ratios))
      console.log(`\n${way}: ${ratio.toFixed(2)} times the requests of @supabase/lite`)
    return [['data API', rows]]
  },
  operation: async () => [['operation', [['operation', 'measured', 'target'], ...(await benchOperation())]]],
  database: async () => [['other work', await benchPageBesideDatabase({ seconds: quick ? 1 : 5 })]],
  events: async () => [
    [
      'conversions',
      [['conversions', 'measured', 'target'], ...(await benchEvents({ seconds: quick ? 1 : 5 }))],
    ],
  ],
  outcomes: async () => {
    const rows = await benchOutcomes({ seconds: quick ? 1 : 5 })
    return [['outcomes', [['outcomes', 'measured', 'target'], ...rows]]]
  },
  'after-consent': async () => [['after consent', await benchEventsPage()]],
  dashboard: async () => {
    const rows = await benchDashboard({ pixels: quick ? 1_000 : 10_000 })
    return [['dashboard', [['dashboard', 'measured', 'target'], ...rows]]]
  },
  instrument: async () => {
    const rows = await benchInstrument(
      quick ? { counted: 60, active: 120 } : { counted: 200, active: 10_000 },
    )
    return [['instrument', [['task', 'measured', 'target'], ...rows]]]
  },
  choices: async () => {
    const sizes = quick ? { records: 20_000, seconds: 2 } : { records: 1_000_000, seconds: 10 }
    return [['choices', await benchChoices(sizes)]]
  },
  isolated: async () => {
    const rows = await benchIsolatedTags()
    return [
      ['isolated frames', [["the page's main thread, four times slower", 'measured', 'target'], ...rows]],
    ]
  },
  year: async () => {
    const tenth = Object.fromEntries(Object.entries(YEAR).map(([what, count]) => [what, count / 10]))
    return [['a year', await benchYear(quick ? { ...YEAR, ...tenth } : YEAR)]]
  },
}

/** Filling the databases takes minutes. */
const ONLY_IF_NAMED = ['year']

const wanted = values.only?.split(',') ?? Object.keys(PARTS).filter((part) => !ONLY_IF_NAMED.includes(part))
const unknown = wanted.filter((part) => !Object.hasOwn(PARTS, part))
if (unknown.length > 0) {
  console.error(`--only takes some of: ${Object.keys(PARTS).join(', ')}`)
  process.exit(1)
}
if (!isBuildFresh()) await buildAll()
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim()}, Linux ${release()}, Node ${process.version}`,
)
let before = await processorsInUse()
for (const [part, measure] of Object.entries(PARTS)) {
  if (!wanted.includes(part)) continue
  const began = performance.now()
  const ticks = readTicks()
  try {
    const tables = await measure()
    const stolen = stolenSince(ticks)
    const after = await processorsInUse()
    const inUse = Math.max(before, after)
    before = after
    const isBusy = inUse > BUSY_SHARE || stolen > STOLEN_SHARE
    if (isBusy)
      busy.push(
        `${part}: other programs used ${percent(inUse)} of the processors, other virtual machines ${percent(stolen)}`,
      )
    for (const [name, rows] of tables) show(name, rows, !isBusy)
  } catch (error) {
    process.exitCode = 1
    console.error(error)
    missing.push(`${part}: ${String((error as Error).message).split('\n')[0]}`)
  }
  durations.push(`${part}: ${((performance.now() - began) / 60_000).toFixed(1)} minutes`)
  console.log(`\n${durations.at(-1)}`)
}
console.log(`\nTook ${(performance.now() / 60_000).toFixed(1)} minutes:\n${list(durations)}`)
if (missing.length > 0) console.log(`\nNot measured on this machine:\n${list(missing)}`)
if (busy.length > 0) console.log(`\nToo busy to believe, not written:\n${list(busy)}`)

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

/** Prints a table, and writes it into its part of the report. */
function show(name: string, rows: Table[1], isBelieved: boolean): void {
  const table = formatTable(rows)
  console.log(`\n${table}`)
  if (values.dry || quick || !isBelieved) return
  const block = new RegExp(`(?<=<!-- ${name}: [^>]+ -->\\n)[\\s\\S]*?(?=<!-- /${name} -->)`)
  const report = readFileSync(REPORT, 'utf8')
  if (!block.test(report)) throw new Error(`${REPORT} has no place for the table "${name}"`)
  writeFileSync(
    REPORT,
    report.replace(block, () => `${table}\n`),
  )
}
