import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from './find-program.ts'
import { measureLoad } from './load.ts'
import type { PageServer } from './page-server.ts'
import { pinned } from './processor.ts'

const CONNECTIONS = 64
const WARM_UP_SECONDS = 2

/** Requests per second of each, in turns, so that whatever else the machine does weighs on all; the median round counts. */
export async function measureThroughput(
  servers: readonly PageServer[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Map<string, number>> {
  const rates = new Map(servers.map(({ name }): [string, number[]] => [name, []]))
  for (const { url } of servers) await measureOnce(url, WARM_UP_SECONDS)
  for (let round = 0; round < rounds; round++) {
    for (const { name, url } of servers) rates.get(name)?.push(await measureOnce(url, seconds))
  }
  return new Map(Array.from(rates, ([name, values]) => [name, median(values)]))
}

async function measureOnce(url: string, seconds: number): Promise<number> {
  const wrk = findProgram('wrk')
  if (wrk === null) {
    const headers = { 'accept-encoding': 'br' }
    return (await measureLoad({ url, headers }, { seconds, connections: CONNECTIONS })).requestsPerSecond
  }
  const [program = '', ...args] = pinned('client', [
    wrk,
    ...['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-H', 'accept-encoding: br, gzip', url],
  ])
  const { stdout } = await promisify(execFile)(program, args)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0)
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
