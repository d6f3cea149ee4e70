/**
 * `npm run soak`: an hour of 1,000 events and 100 visits a second, with a row a minute. `--minutes=5` is a shorter one.
 * The load and the vendors run on this machine too.
 */
import { parseArgs } from 'node:util'
import { buildAll } from '../scripts/build-all.ts'
import { isBuildFresh } from '../scripts/build-stamp.ts'
import { SERVER_PIXELS } from './event-pixels.ts'
import { measureVisits } from './measure-visits.ts'
import { processorMilliseconds, residentMegabytes } from './process-usage.ts'
import { BUSY_SHARE, pinProcess, processorsInUse } from './processor.ts'
import { startEventSite } from './start-event-site.ts'
import { startLoad } from './start-load.ts'

const EVENTS_PER_SECOND = 1_000
const RAMP_SECONDS = 10

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
  const load = startLoad({
    url: `${site.url}/api/events`,
    method: 'POST',
    headers: site.visitorHeaders,
    body: JSON.stringify({ name: 'lead', path: '/' }),
    perSecond: EVENTS_PER_SECOND,
    connections: 512,
    rampSeconds: RAMP_SECONDS,
  })
  console.log('| minute | p50 ms | p99 ms | max ms | processor | memory MB | sent to vendors |')
  console.log('|---|---|---|---|---|---|---|')
  for (let minute = 1; minute <= minutes; minute++) {
    const [cpu, began] = [processorMilliseconds(site.pid), performance.now()]
    const { p50, p99, max } = await measureVisits(`${site.url}/`, 58)
    const share = (processorMilliseconds(site.pid) - cpu) / (performance.now() - began)
    const cells = [minute, p50.toFixed(1), p99.toFixed(1), max.toFixed(1), `${(100 * share).toFixed(0)} %`]
    cells.push(residentMegabytes(site.pid).toFixed(0), site.countReceived())
    console.log(`| ${cells.join(' | ')} |`)
  }
  console.log(`\nEvents answered: ${await load.end()}`)
} finally {
  pinProcess('any', process.pid)
  await site.stop()
}
