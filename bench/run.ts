/**
 * `npm run bench`: every number of the README, measured now, on this machine. `--quick` takes one short round of each
 * and leaves Next.js and Astro out; `--only=landing`, `--only=data`, `--only=operation`,
 * `--only=database`, `--only=events`, `--only=dashboard`, `--only=consent`, `--only=instrument` or `--only=rooms` takes one part.
 * `--pause` waits for a line of input where what is measured was built for minutes before: a machine can be made quiet then.
 */
import { once } from 'node:events'
import { cpus, release } from 'node:os'
import { parseArgs } from 'node:util'
import { buildAll } from '../scripts/build-all.ts'
import { isBuildFresh } from '../scripts/build-stamp.ts'
import { benchChoices } from './choice-beside-sealing.ts'
import { benchDashboard } from './dashboard.ts'
import { benchDataService } from './data-service.ts'
import { benchEvents } from './events.ts'
import { benchEventsPage } from './events-page.ts'
import { benchInstrument } from './instrument.ts'
import { benchLanding } from './landing.ts'
import { benchOperation } from './operation.ts'
import { benchPageBesideDatabase } from './page-beside-database.ts'
import { printTable } from './print-table.ts'
import { benchRooms } from './rooms.ts'

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' }, pause: { type: 'boolean' } },
})

if (!isBuildFresh()) await buildAll()
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim()}, Linux ${release()}, Node ${process.version}\n`,
)
const missing: string[] = []
const isWanted = (part: string) => values.only === undefined || values.only === part
const untilTold = async () => {
  if (values.pause !== true) return
  console.log('ready to measure; a line of input begins')
  await once(process.stdin, 'data')
  process.stdin.pause()
}
if (isWanted('landing')) {
  const landing = await benchLanding(
    values.quick === true
      ? { rounds: 1, seconds: 3, lighthouseRuns: 1, frameworks: false }
      : { rounds: 3, seconds: 5, lighthouseRuns: 5, frameworks: true },
  )
  printTable([['landing page', 'measured', 'aim'], ...landing.rows])
  missing.push(...landing.missing)
}
if (isWanted('data')) {
  try {
    const { rows, ratios } = await benchDataService()
    console.log()
    printTable(rows)
    for (const [way, ratio] of Object.entries(ratios))
      console.log(`\n${way}: ${ratio.toFixed(2)} times the requests of @supabase/lite`)
  } catch (error) {
    missing.push(`data service: ${String((error as Error).message).split('\n')[0]}`)
  }
}
if (isWanted('operation')) {
  console.log()
  printTable([['operation', 'measured', 'aim'], ...(await benchOperation())])
}
if (isWanted('database')) {
  console.log()
  printTable(await benchPageBesideDatabase())
}
if (isWanted('events')) {
  console.log()
  printTable([['conversions', 'measured', 'aim'], ...(await benchEvents())])
  console.log()
  printTable(await benchEventsPage(values.quick === true ? 1 : 7))
}
if (isWanted('dashboard')) {
  console.log()
  printTable([['dashboard', 'measured', 'aim'], ...(await benchDashboard())])
}
if (isWanted('consent')) {
  console.log()
  printTable(await benchChoices(untilTold))
}
if (isWanted('instrument')) {
  console.log()
  printTable([['the instrument', 'measured', 'aim'], ...(await benchInstrument())])
}
if (isWanted('rooms')) {
  console.log()
  printTable([["the page's main thread, four times slower", 'measured', 'aim'], ...(await benchRooms())])
}
if (missing.length > 0)
  console.log(`\nNot measured on this machine:\n${missing.map((line) => `- ${line}`).join('\n')}`)
