import { Agent, get } from 'node:http'

export interface Visits {
  p50: number
  p99: number
  max: number
}

const VISITS_PER_SECOND = 100
const DEADLINE_MS = 30_000
/** Connections are opened and code is compiled in these. */
const UNCOUNTED_SECONDS = 1

/** Steady visits, counted from when each was due, so that queueing during a stall counts. */
export async function measureVisits(page: string, seconds: number): Promise<Visits> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const start = performance.now()
  const times: number[] = []
  const pending: Promise<void>[] = []
  const uncounted = UNCOUNTED_SECONDS * VISITS_PER_SECOND
  for (let sent = 0; sent < uncounted + seconds * VISITS_PER_SECOND; sent++) {
    const due = start + sent * (1000 / VISITS_PER_SECOND)
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1))
    pending.push(
      visit(page, agent).then(() => {
        if (sent >= uncounted) times.push(performance.now() - due)
      }),
    )
  }
  await Promise.all(pending)
  agent.destroy()
  times.sort((a, b) => a - b)
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

function visit(page: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(page, { agent, timeout: DEADLINE_MS }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the page answered ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
    request.on('timeout', () => request.destroy(new Error('the page did not answer in time')))
    request.on('error', reject)
  })
}
