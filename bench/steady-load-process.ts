/**
 * Sends one request again and again from a process of its own, each from another address as a proxy would tell it, and
 * prints how many were answered with which status when it is told to end: `node steady-load-process.ts OPTIONS-AS-JSON`.
 */
import { Agent, request } from 'node:http'

export interface SteadyLoad {
  url: string
  method: string
  headers: Record<string, string>
  body?: string
  /** Null: the next when the last was answered. */
  perSecond: number | null
}

const SOCKETS = 64
const { url, method, headers, body, perSecond } = JSON.parse(process.argv[2] ?? '{}') as SteadyLoad
const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS })
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
    for (; sent < ((performance.now() - start) / 1000) * perSecond; ) void ask()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

function ask(): Promise<void> {
  const from = `198.18.${Math.floor(sent / 250) % 250}.${sent % 250}`
  sent++
  return new Promise((resolve) => {
    const count = (status: string) => {
      statuses[status] = (statuses[status] ?? 0) + 1
      resolve()
    }
    const call = request(url, { method, headers: { ...headers, 'x-forwarded-for': from }, agent }, (answer) =>
      answer.resume().on('end', () => count(String(answer.statusCode))),
    )
    call.on('error', () => count('error'))
    call.end(body)
  })
}
