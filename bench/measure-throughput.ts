import { measureLoad } from './measure-load.ts'
import type { PageServer } from './page-server.ts'
import { treeProcessorMilliseconds } from './process-usage.ts'

const CONNECTIONS = 64
const WARM_UP_SECONDS = 2

/**
 * Requests per second of processor time, which does not depend on the generator's speed. Alternating, so that other
 * load affects all; the median round counts.
 */
export async function measureThroughput(
  servers: readonly PageServer[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Map<string, number>> {
  const rates = new Map(servers.map(({ name }): [string, number[]] => [name, []]))
  for (const server of servers) await measureOnce(server, WARM_UP_SECONDS)
  for (let round = 0; round < rounds; round++) {
    for (const server of servers) rates.get(server.name)?.push(await measureOnce(server, seconds))
  }
  return new Map(Array.from(rates, ([name, values]) => [name, median(values)]))
}

async function measureOnce({ url, pid }: PageServer, seconds: number): Promise<number> {
  const headers = { 'accept-encoding': 'br, gzip' }
  const before = treeProcessorMilliseconds(pid)
  const { requests } = await measureLoad({ url, headers }, { seconds, connections: CONNECTIONS })
  return (1000 * requests) / (treeProcessorMilliseconds(pid) - before)
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
