/**
 * A list of fifty pixels, from this server and from `@supabase/lite` on its `node:sqlite` backend: both over HTTP on
 * this machine, with a session token, alternating, one after the other; once without writes, where responses may be
 * cached, and once with a write before every list.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Contender, startLite, startPortico } from './data-service-contenders.ts'
import { type LoadStep, measureLoad } from './measure-load.ts'
import { processorMilliseconds, residentMegabytes } from './process-usage.ts'

const CONNECTIONS = 10

interface Measured {
  name: string
  requestsPerSecond: number
  p99Milliseconds: number
  processorMilliseconds: number
  memoryMegabytes: number
}

export interface Rounds {
  rounds: number
  seconds: number
}

interface Round {
  rate: number
  p99: number
  /** Processor time per request, which stays comparable on a busy machine. */
  spent: number
}

type Way = 'list of 50 pixels' | 'write, then list of 50 pixels'

export interface DataServiceResult {
  /** Header first. */
  rows: string[][]
  /** Our requests per second divided by theirs. */
  ratios: Record<Way, number>
}

export async function benchDataService(rounds: Rounds): Promise<DataServiceResult> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const contenders: Contender[] = []
  try {
    contenders.push(await startPortico(directory))
    contenders.push(await startLite(directory))
    const lists = await measureInTurns(contenders, 'list of 50 pixels', rounds)
    const writes = await measureInTurns(contenders, 'write, then list of 50 pixels', rounds)
    return {
      rows: [
        ['', 'requests/s', 'p99 ms', 'CPU ms', 'memory MB'],
        ...[...lists, ...writes].map((row) => [
          row.name,
          row.requestsPerSecond.toFixed(0),
          row.p99Milliseconds.toFixed(0),
          row.processorMilliseconds.toFixed(2),
          row.memoryMegabytes.toFixed(0),
        ]),
      ],
      ratios: {
        'list of 50 pixels': ratioOf(lists),
        'write, then list of 50 pixels': ratioOf(writes),
      },
    }
  } finally {
    for (const contender of contenders) await contender.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

function ratioOf([ours, theirs]: readonly Measured[]): number {
  return (ours?.requestsPerSecond ?? Number.NaN) / (theirs?.requestsPerSecond ?? Number.NaN)
}

/** Alternating, so that other load affects both; the median round counts. */
async function measureInTurns(
  contenders: readonly Contender[],
  way: Way,
  { rounds, seconds }: Rounds,
): Promise<Measured[]> {
  const measured = contenders.map((): Round[] => [])
  for (const contender of contenders) await measureRound(contender, way, 2)
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      measured[index]?.push(await measureRound(contender, way, seconds))
    }
  }
  return contenders.map((contender, index) => {
    const sorted = (measured[index] ?? []).toSorted((a, b) => a.rate - b.rate)
    const median = sorted[Math.floor(sorted.length / 2)]
    return {
      name: `${contender.name}, ${way}`,
      requestsPerSecond: median?.rate ?? 0,
      p99Milliseconds: median?.p99 ?? 0,
      processorMilliseconds: median?.spent ?? 0,
      memoryMegabytes: residentMegabytes(contender.pid),
    }
  })
}

async function measureRound(contender: Contender, way: Way, seconds: number): Promise<Round> {
  const { pid, request } = contender
  const before = processorMilliseconds(pid)
  const requests = way === 'list of 50 pixels' ? {} : { requests: writeThenList(contender) }
  const load = await measureLoad(request, { seconds, connections: CONNECTIONS, ...requests })
  const spent = (processorMilliseconds(pid) - before) / load.requests
  return { rate: load.requestsPerSecond, p99: load.p99Milliseconds, spent }
}

function writeThenList({ request, onePixel }: Contender): LoadStep[] {
  const { pathname, search } = new URL(request.url)
  const headers = { ...request.headers, 'content-type': 'application/json', prefer: 'return=minimal' }
  return [
    { method: 'PATCH', path: onePixel, headers, body: '{"is_active":false}' },
    { method: 'GET', path: `${pathname}${search}`, headers: request.headers },
  ]
}
