/**
 * The page with and without counting visits: requests per second of processor time of the whole process, which other
 * programs disturb less than the clock. Both servers take turns, and the sums of all rounds are compared.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../tests/support/free-port.ts'
import { type LoadStep, measureLoad } from './measure-load.ts'
import { type PageServer, startPageServer } from './page-server.ts'
import { treeProcessorMilliseconds } from './process-usage.ts'

const CONNECTIONS = 64
const WARM_UP_SECONDS = 3
/** In a busy second of a site with a million visits a day there are 60. */
const VISITORS = 250

/** Measure, value, target. */
export async function benchCountVisits({ rounds, seconds }: { rounds: number; seconds: number }) {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const servers: PageServer[] = []
  try {
    for (const counts of ['off', 'on']) servers.push(await start(join(directory, counts), counts))
    const sums = new Map(servers.map(({ name }) => [name, { requests: 0, processorMs: 0 }]))
    for (const server of servers) await measure(server, WARM_UP_SECONDS)
    for (let round = 0; round < rounds; round++)
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        const sum = sums.get(server.name) as Measured
        const { requests, processorMs } = await measure(server, seconds)
        sum.requests += requests
        sum.processorMs += processorMs
      }
    const [without = Number.NaN, withCounts = Number.NaN] = [...sums.values()].map(
      ({ requests, processorMs }) => (1000 * requests) / processorMs,
    )
    const lower = 100 * (1 - withCounts / without)
    return [
      ['requests of `/` per second of processor time, visits not counted', format(without), ''],
      [`the same, visits of ${VISITORS} visitors counted`, format(withCounts), ''],
      ['difference', `${lower.toFixed(1)} %`, '≤ 2 %'],
    ]
  } finally {
    for (const server of servers) await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function start(dataDir: string, counts: string): Promise<PageServer> {
  const port = await freePort()
  return startPageServer({
    name: counts,
    url: `http://localhost:${port}/`,
    command: [process.execPath, 'dist/server/serve.js'],
    env: {
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: '',
      TRUST_PROXY: '1',
      VISIT_COUNTS: counts,
      LOG_LEVEL: 'error',
    },
  })
}

interface Measured {
  requests: number
  processorMs: number
}

async function measure({ url, pid }: PageServer, seconds: number): Promise<Measured> {
  const requests = Array.from(
    { length: VISITORS },
    (_, visitor): LoadStep => ({
      method: 'GET',
      path: '/',
      headers: {
        'accept-encoding': 'br, gzip',
        'user-agent':
          'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36',
        'sec-fetch-dest': 'document',
        'sec-fetch-mode': 'navigate',
        'x-forwarded-for': `200.160.${visitor >> 8}.${visitor & 255}`,
      },
    }),
  )
  const before = treeProcessorMilliseconds(pid)
  const load = await measureLoad({ url, headers: {} }, { seconds, connections: CONNECTIONS, requests })
  return { requests: load.requests, processorMs: treeProcessorMilliseconds(pid) - before }
}

function format(requests: number): string {
  return Math.round(requests).toLocaleString('en-US')
}
