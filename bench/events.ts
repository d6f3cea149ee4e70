/** Conversions and outcomes: how many per second are stored, and whether the page slows down. */
import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { OutcomeReporter } from '../tests/chaos/outcomes-under-load.ts'
import { SERVER_PIXELS } from './event-pixels.ts'
import { measureVisits, type Visits } from './measure-visits.ts'
import { processorMilliseconds } from './process-usage.ts'
import { pinProcess } from './processor.ts'
import { startEventSite } from './start-event-site.ts'
import { startLoad } from './start-load.ts'

/** The rate rises while code is compiled. */
const RAMP_SECONDS = 10
const WARM_UP_MS = 14_000
const AIM_PER_SECOND = 3_000
const LEAST_LIMIT_MS = 10
/** Three thousand visitors per second do not share a few connections. */
const CONNECTIONS = 512
const OUTCOMES_PER_SECOND = 500
const OUTCOME_CALLERS = 32

/** Measured values and targets: for Meta alone, and for Meta and Google, so two rows per event, while they are sent. */
export async function benchEvents({ seconds }: { seconds: number }): Promise<string[][]> {
  const rows: string[][] = []
  for (const vendors of [1, 2]) rows.push(...(await measureEvents(vendors, seconds)))
  return rows
}

/** One outcome a call, tied to a visit, with a value, for two vendors. Every answer means that it is durable. */
export async function benchOutcomes({ seconds }: { seconds: number }): Promise<string[][]> {
  const site = await startEventSite()
  pinProcess('client', process.pid)
  try {
    for (const pixel of SERVER_PIXELS) await site.addPixel(pixel)
    const events = { Meta: 'PrimeiraVenda', GA4: 'primeira_venda' }
    const { headers } = await OutcomeReporter.prepare(site.url, site.headers, events)
    const visit = await OutcomeReporter.visit(site.url, site.cookie)
    let counted = 0
    let ends = performance.now() + WARM_UP_MS / 2
    const call = async () => {
      while (performance.now() < ends) {
        const outcome = { name: 'primeira_venda', id: randomUUID(), visit, value: '0.10', currency: 'BRL' }
        const init = { method: 'POST', headers, body: JSON.stringify(outcome) }
        const answer = await (await fetch(`${site.url}/api/outcomes`, init)).text()
        if (!answer.includes('"accepted"')) throw new Error(answer)
        counted++
      }
    }
    const callers = () => Promise.all(Array.from({ length: OUTCOME_CALLERS }, call))
    await callers()
    const before = { cpu: processorMilliseconds(site.pid), at: performance.now() }
    counted = 0
    ends = before.at + seconds * 1000
    await callers()
    const perSecond = counted / ((performance.now() - before.at) / 1000)
    const cpuMs = processorMilliseconds(site.pid) - before.cpu
    return [
      ['outcomes stored a second, one a call', perSecond.toFixed(0), `at least ${OUTCOMES_PER_SECOND}`],
      ['processor an outcome, deliveries included', `${((cpuMs * 1000) / counted).toFixed(0)} µs`, ''],
    ]
  } finally {
    pinProcess('any', process.pid)
    await site.stop()
  }
}

async function measureEvents(vendors: number, seconds: number): Promise<string[][]> {
  const site = await startEventSite()
  pinProcess('client', process.pid)
  try {
    for (const pixel of SERVER_PIXELS.slice(0, vendors)) await site.addPixel(pixel)
    const page = `${site.url}/`
    await measureVisits(page, seconds)
    const idle = await measureVisits(page, seconds)
    const limit = Math.max(LEAST_LIMIT_MS, idle.p99 * 1.5)
    const load = startLoad({
      url: `${site.url}/api/events`,
      method: 'POST',
      headers: site.visitorHeaders,
      body: JSON.stringify({ name: 'lead', path: '/' }),
      perSecond: AIM_PER_SECOND,
      connections: CONNECTIONS,
      rampSeconds: RAMP_SECONDS,
    })
    await setTimeout(WARM_UP_MS)
    const before = {
      events: countEvents(site.file),
      cpu: processorMilliseconds(site.pid),
      at: performance.now(),
    }
    const visits = await measureVisits(page, seconds)
    const events = countEvents(site.file) - before.events
    const cpuMs = processorMilliseconds(site.pid) - before.cpu
    const perSecond = events / ((performance.now() - before.at) / 1000)
    const answered = await load.end()
    const refused = countRefused(site.file)
    if (refused > 0) throw new Error(`the vendors' stand-ins refused ${refused} events`)
    const each = vendors === 1 ? 'for one vendor' : 'for two vendors'
    return [
      [`events stored a second, each ${each}`, perSecond.toFixed(0), `at least ${AIM_PER_SECOND * 0.99}`],
      ['processor an event, deliveries and page included', `${((cpuMs * 1000) / events).toFixed(0)} µs`, ''],
      ['answers, from the first second on', answered, 'all 204'],
      ['page alone', describe(idle), ''],
      [`page beside the events ${each}`, describe(visits), `p99 at most ${limit.toFixed(1)} ms`],
    ]
  } finally {
    pinProcess('any', process.pid)
    await site.stop()
  }
}

const describe = ({ p50, p99, max }: Visits) =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`

/** Waiting and settled events of one of the two pixels, read from the file. */
function countEvents(file: string): number {
  return read(file, [
    `select count(*) from deliveries where kind = 'meta'`,
    `select coalesce(sum(count), 0) from counts where series = 'conversion' and resolution = 'hour' and subject = (select id from tracking_pixels where type = 'meta' and deleted_at is null)`,
  ])
}

/** Refused events are sent again one by one: another load than the one that is measured. */
function countRefused(file: string): number {
  return read(file, [
    `select coalesce(sum(count), 0) from counts where series = 'conversion' and resolution = 'hour' and key like 'refused %'`,
  ])
}

/** The sum of these numbers at one moment. */
function read(file: string, statements: readonly string[]): number {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    database.exec('begin')
    return statements
      .map((sql) => Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0))
      .reduce((sum, count) => sum + count, 0)
  } finally {
    database.close()
  }
}
