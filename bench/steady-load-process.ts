/**
 * Repeats one request from a separate process, each from another address as a proxy would send it, and prints how many
 * got which status at its end: `node steady-load-process.ts OPTIONS-AS-JSON`.
 */
import { Pool } from 'undici'

export interface SteadyLoad {
  url: string
  method: string
  headers: Record<string, string>
  body?: string
  /** Sent in turn. */
  bodies?: string[]
  /** Null: the next one after each response. */
  perSecond: number | null
  /** Each of a thousand visitors has their own. */
  connections?: number
  /** How long the rate rises: code is slow until it is compiled, and what queues then waits for long. */
  rampSeconds?: number
}

const {
  url,
  method,
  headers,
  body,
  bodies = [],
  perSecond,
  connections = 64,
  rampSeconds = 0,
} = JSON.parse(process.argv[2] ?? '{}') as SteadyLoad
const { origin, pathname, search } = new URL(url)
// On two processors the client must not be the bottleneck: this one does less per request than `node:http`.
const pool = new Pool(origin, { connections, pipelining: 1 })
const statuses: Record<string, number> = {}
const start = performance.now()
let sent = 0

process.on('SIGTERM', () => {
  process.stdout.write(JSON.stringify({ seconds: (performance.now() - start) / 1000, statuses }), () =>
    process.exit(),
  )
})
for (;;) {
  if (perSecond === null) await ask()
  else {
    for (const due = countDue(perSecond); sent < due; ) void ask()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** How many should have been sent by now. */
function countDue(rate: number): number {
  const seconds = (performance.now() - start) / 1000
  const ramp = Math.min(seconds, rampSeconds)
  return (rampSeconds === 0 ? 0 : (ramp * ramp) / rampSeconds / 2) * rate + (seconds - ramp) * rate
}

function ask(): Promise<void> {
  const next = bodies[sent % bodies.length] ?? body ?? null
  const from = `198.18.${Math.floor(sent / 250) % 250}.${sent % 250}`
  sent++
  return new Promise((resolve) => {
    const count = (status: string) => {
      statuses[status] = (statuses[status] ?? 0) + 1
      resolve()
    }
    let status = ''
    pool.dispatch(
      {
        path: pathname + search,
        method: method as 'POST',
        headers: { ...headers, 'x-forwarded-for': from },
        body: next,
      },
      {
        onRequestStart() {},
        onResponseStart(_controller, code) {
          status = String(code)
        },
        onResponseData() {},
        onResponseEnd: () => count(status),
        onResponseError: () => count('error'),
      },
    )
  })
}
