import { measureLoad } from './measure-load.ts'
import type { PageServer } from './page-server.ts'

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
  const headers = { 'accept-encoding': 'br, gzip' }
  return (await measureLoad({ url, headers }, { seconds, connections: CONNECTIONS })).requestsPerSecond
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
