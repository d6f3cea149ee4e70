/**
 * `npm run bench`: every number of docs/reports/benchmarks.md, measured now, on this machine, and written there. A part is
 * not written if other programs used the processors before or after it. `--quick` takes one short round of each without
 * Next.js and Astro and writes nothing; `--only=NAME` runs one part; `--dry` writes nothing. `--pause` waits for a line of
 * input after minutes of preparation, so that the machine can become quiet. Long runs are in `npm run soak`.
 */
import { once } from 'node:events'
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
import { BUSY_SHARE, processorsInUse } from './processor.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    pause: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
  },
})

const REPORT = 'docs/reports/benchmarks.md'

/** A table's name in the report, and its rows. */
type Table = [name: string, rows: readonly (readonly string[])[]]

const missing: string[] = []
const busy: string[] = []

const PARTS: Record<string, () => Promise<Table[]>> = {
  landing: async () => {
    const landing = await benchLanding(
      values.quick
        ? { rounds: 1, seconds: 3, lighthouseRuns: 1, frameworks: false }
        : { rounds: 2, seconds: 5, lighthouseRuns: 3, frameworks: true },
    )
    missing.push(...landing.missing)
    return [['landing page', [['landing page', 'measured', 'target'], ...landing.rows]]]
  },
  visits: async () => {
    const rows = await benchCountVisits(values.quick ? { rounds: 1, seconds: 3 } : { rounds: 4, seconds: 5 })
    return [['counting visits', [['counting visits', 'measured', 'target'], ...rows]]]
  },
  data: async () => {
    const { rows, ratios } = await benchDataService()
    for (const [way, ratio] of Object.entries(ratios))
      console.log(`\n${way}: ${ratio.toFixed(2)} times the requests of @supabase/lite`)
    return [['data API', rows]]
  },
  operation: async () => [['operation', [['operation', 'measured', 'target'], ...(await benchOperation())]]],
  database: async () => [['other work', await benchPageBesideDatabase()]],
  events: async () => [
    ['conversions', [['conversions', 'measured', 'target'], ...(await benchEvents())]],
    ['after consent', await benchEventsPage(values.quick ? 1 : 3)],
  ],
  outcomes: async () => [['outcomes', [['outcomes', 'measured', 'target'], ...(await benchOutcomes())]]],
  dashboard: async () => [['dashboard', [['dashboard', 'measured', 'target'], ...(await benchDashboard())]]],
  consent: async () => [['choices', await benchChoices(untilReported)]],
  instrument: async () => [['instrument', [['task', 'measured', 'target'], ...(await benchInstrument())]]],
  isolated: async () => [
    [
      'isolated frames',
      [["the page's main thread, four times slower", 'measured', 'target'], ...(await benchIsolatedTags())],
    ],
  ],
}

if (values.only !== undefined && !Object.hasOwn(PARTS, values.only)) {
  console.error(`--only takes one of: ${Object.keys(PARTS).join(', ')}`)
  process.exit(1)
}
if (!isBuildFresh()) await buildAll()
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim()}, Linux ${release()}, Node ${process.version}`,
)
for (const [part, measure] of Object.entries(PARTS)) {
  if (values.only !== undefined && values.only !== part) continue
  const before = await processorsInUse()
  const began = performance.now()
  try {
    const tables = await measure()
    const inUse = Math.max(before, await processorsInUse())
    const isBusy = inUse > BUSY_SHARE
    if (isBusy) busy.push(`${part}: ${(100 * inUse).toFixed(0)} % of the processors`)
    for (const [name, rows] of tables) show(name, rows, !isBusy)
  } catch (error) {
    missing.push(`${part}: ${String((error as Error).message).split('\n')[0]}`)
  }
  console.log(`\n${part} took ${((performance.now() - began) / 60_000).toFixed(1)} minutes`)
}
if (missing.length > 0) console.log(`\nNot measured on this machine:\n${list(missing)}`)
if (busy.length > 0) console.log(`\nToo busy to believe, not written: other programs used\n${list(busy)}`)

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

/** Prints a table, and writes it into its part of the report. */
function show(name: string, rows: Table[1], isBelieved: boolean): void {
  const table = formatTable(rows)
  console.log(`\n${table}`)
  if (values.dry || values.quick || !isBelieved) return
  const block = new RegExp(`(?<=<!-- ${name}: [^>]+ -->\\n)[\\s\\S]*?(?=<!-- /${name} -->)`)
  writeFileSync(
    REPORT,
    readFileSync(REPORT, 'utf8').replace(block, () => `${table}\n`),
  )
}

async function untilReported(): Promise<void> {
  if (!values.pause) return
  console.log('ready to measure; a line of input begins')
  await once(process.stdin, 'data')
  process.stdin.pause()
}
