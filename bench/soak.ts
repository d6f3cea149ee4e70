/**
 * `npm run soak`: an hour of 1,000 events and 100 visits a second, with a row a minute. `--minutes=5` is a shorter one.
 * The load and the vendors run on this machine too. "Stolen" is the share of the processors that the host of this
 * virtual machine gave to others: the queue may grow while it is high.
 */
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { buildAll } from '../scripts/build-all.ts'
import { isBuildFresh } from '../scripts/build-stamp.ts'
import { OPTIONAL_CATEGORIES } from '../src/contract/consent-choice.ts'
import { SERVER_PIXELS } from './event-pixels.ts'
import { measureVisits } from './measure-visits.ts'
import { processorMilliseconds, residentMegabytes } from './process-usage.ts'
import { BUSY_SHARE, pinProcess, processorsInUse, readTicks, stolenSince } from './processor.ts'
import { startEventSite } from './start-event-site.ts'
import { startLoad } from './start-load.ts'

const RAMP_SECONDS = 10
/**
 * Meta takes 50 events a request, Google Analytics one. Stand-ins answer after 200 ms, so that the server sends Google
 * some 330 events a second: three of ten visitors accept measuring, as many as it can send.
 */
const VISITORS = [
  { categories: ['marketing'], perSecond: 700 },
  { categories: OPTIONAL_CATEGORIES, perSecond: 300 },
] as const

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } })
const minutes = Number(values.minutes)
if (!(Number.isInteger(minutes) && minutes > 0)) {
  console.error('Usage: npm run soak -- --minutes=60')
  process.exit(1)
}
if (!isBuildFresh()) await buildAll()
const inUse = await processorsInUse()
if (inUse > BUSY_SHARE)
  console.log(`Too busy to believe: other programs use ${(100 * inUse).toFixed(0)} % of the processors`)
const site = await startEventSite()
pinProcess('client', process.pid)
try {
  for (const pixel of SERVER_PIXELS) await site.addPixel(pixel)
  const headers = await Promise.all(VISITORS.map(({ categories }) => site.addVisitor(categories)))
  const loads = VISITORS.map(({ perSecond }, at) =>
    startLoad({
      url: `${site.url}/api/events`,
      method: 'POST',
      headers: headers[at] ?? {},
      body: JSON.stringify({ name: 'lead', path: '/' }),
      perSecond,
      connections: 256,
      rampSeconds: RAMP_SECONDS,
    }),
  )
  console.log(
    '| minute | p50 ms | p99 ms | max ms | processor | stolen | memory MB | requests to vendors | events waiting |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|')
  for (let minute = 1; minute <= minutes; minute++) {
    const [cpu, began] = [processorMilliseconds(site.pid), performance.now()]
    const [ticks, received] = [readTicks(), site.countReceived()]
    const { p50, p99, max } = await measureVisits(`${site.url}/`, 58)
    const share = (processorMilliseconds(site.pid) - cpu) / (performance.now() - began)
    const cells = [minute, p50.toFixed(1), p99.toFixed(1), max.toFixed(1), `${(100 * share).toFixed(0)} %`]
    cells.push(`${(100 * stolenSince(ticks)).toFixed(0)} %`, residentMegabytes(site.pid).toFixed(0))
    cells.push(site.countReceived() - received, countWaiting(site.file))
    console.log(`| ${cells.join(' | ')} |`)
  }
  const answers = await Promise.all(loads.map((load) => load.end()))
  console.log(`\nEvents answered: ${answers.join('; ')}`)
} finally {
  pinProcess('any', process.pid)
  await site.stop()
}

/** Deliveries that no vendor has answered yet: they must not grow from minute to minute. */
function countWaiting(file: string): number {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(db.prepare('select count(*) as n from deliveries').get()?.n)
  } finally {
    db.close()
  }
}
