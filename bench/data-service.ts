/**
 * A list of fifty pixels, from this server and from `@supabase/lite` on its `node:sqlite` backend: both over HTTP on
 * this machine, with a real session's token, one after the other in the same run, three rounds each.
 * Run alone: `node bench/data-service.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Contender, startLite, startPortico } from './data-service-contenders.ts'
import { measureLoad, processorMilliseconds, residentMegabytes } from './load.ts'

const ROUNDS = 3
const SECONDS = 5
const CONNECTIONS = 10

interface Measured {
  name: string
  requestsPerSecond: number
  p99Milliseconds: number
  processorMilliseconds: number
  memoryMegabytes: number
}

interface Round {
  rate: number
  p99: number
  /** Processor time per request: what remains comparable on a machine that is busy with something else. */
  spent: number
}

export interface DataServiceResult {
  /** Header first. */
  rows: string[][]
  /** Our requests per second for each of theirs. */
  ratio: number
  /** Their processor time per request for each of ours: the same comparison, on a machine that is busy otherwise. */
  processorRatio: number
}

export async function benchDataService(): Promise<DataServiceResult> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const contenders: Contender[] = []
  try {
    contenders.push(await startPortico(directory))
    contenders.push(await startLite(directory))
    const measured = await measureInTurns(contenders)
    const [ours, theirs] = measured
    return {
      rows: [
        ['list of 50 pixels', 'requests/s', 'p99 ms', 'CPU ms', 'memory MB'],
        ...measured.map((row) => [
          row.name,
          row.requestsPerSecond.toFixed(0),
          row.p99Milliseconds.toFixed(0),
          row.processorMilliseconds.toFixed(2),
          row.memoryMegabytes.toFixed(0),
        ]),
      ],
      ratio: (ours?.requestsPerSecond ?? 0) / (theirs?.requestsPerSecond ?? Number.NaN),
      processorRatio: (theirs?.processorMilliseconds ?? 0) / (ours?.processorMilliseconds ?? Number.NaN),
    }
  } finally {
    for (const contender of contenders) await contender.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** In turns, so that whatever else the machine does weighs on both; the median round counts. */
async function measureInTurns(contenders: readonly Contender[]): Promise<Measured[]> {
  const rounds = contenders.map((): Round[] => [])
  for (const contender of contenders) await measureRound(contender, 2)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, contender] of contenders.entries()) {
      rounds[index]?.push(await measureRound(contender, SECONDS))
    }
  }
  return contenders.map((contender, index) => {
    const sorted = (rounds[index] ?? []).toSorted((a, b) => a.rate - b.rate)
    const median = sorted[Math.floor(sorted.length / 2)]
    return {
      name: contender.name,
      requestsPerSecond: median?.rate ?? 0,
      p99Milliseconds: median?.p99 ?? 0,
      processorMilliseconds: median?.spent ?? 0,
      memoryMegabytes: residentMegabytes(contender.pid),
    }
  })
}

async function measureRound({ pid, request }: Contender, seconds: number): Promise<Round> {
  const before = processorMilliseconds(pid)
  const load = await measureLoad(request, { seconds, connections: CONNECTIONS })
  const spent = (processorMilliseconds(pid) - before) / load.requests
  return { rate: load.requestsPerSecond, p99: load.p99Milliseconds, spent }
}

if (import.meta.main) {
  const { rows, ratio, processorRatio } = await benchDataService()
  for (const row of rows)
    console.log(row.map((cell, index) => (index === 0 ? cell.padEnd(28) : cell.padStart(12))).join(''))
  console.log(
    `requests/s: ${ratio.toFixed(1)} times; processor time per request: 1/${processorRatio.toFixed(1)}`,
  )
}
