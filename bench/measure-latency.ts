import { Agent, get } from 'node:http'
import type { LoadRequest } from './measure-load.ts'

const RATE = 1_000
const DASHBOARD_EVERY_MS = 50

/** 99th percentile in milliseconds with a thousand visitors per second, while somebody uses the dashboard. */
export async function measureLatency(page: string, dashboard: LoadRequest, seconds: number): Promise<number> {
  const visitors = new Agent({ keepAlive: true, maxSockets: 64 })
  const administrator = new Agent({ keepAlive: true, maxSockets: 2 })
  const times: number[] = []
  const pending: Promise<unknown>[] = []
  const start = performance.now()
  let sent = 0
  let nextLook = start
  while (sent < RATE * seconds) {
    const now = performance.now()
    // Counted from when it was due, so that queueing during a stall counts.
    for (; sent < RATE * seconds && start + sent * (1000 / RATE) <= now; sent++) {
      const due = start + sent * (1000 / RATE)
      pending.push(
        ask(page, { 'accept-encoding': 'br' }, visitors).then(() => times.push(performance.now() - due)),
      )
    }
    if (now >= nextLook) {
      pending.push(ask(dashboard.url, dashboard.headers, administrator))
      nextLook += DASHBOARD_EVERY_MS
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(pending)
  visitors.destroy()
  administrator.destroy()
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
}

function ask(url: string, headers: Record<string, string>, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent }, (response) => {
      response.resume()
      response.on('end', resolve)
    }).on('error', reject)
  })
}
