import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { freePort } from '../support/free-port.ts'
import type { Place } from './scenario.ts'

const ASK_EVERY_MS = 100

export interface ReadyProxy {
  url: string
  isReady(target: string): boolean
  /** Requests that each target got. */
  given(target: string): number
}

/**
 * A proxy before the processes: it keeps connections open, checks readiness, distributes requests to ready ones, and
 * retries nothing, so that dropped requests are visible.
 */
export async function startReadyProxy(place: Place, targets: readonly string[]): Promise<ReadyProxy> {
  const ready = new Map(targets.map((target) => [target, true]))
  const given = new Map(targets.map((target) => [target, 0]))
  const agent = new Agent({ keepAlive: true, timeout: 55_000 })
  const timer = setInterval(() => {
    for (const target of targets)
      fetch(`${target}/readyz/serve`).then(
        ({ ok }) => ready.set(target, ok),
        () => ready.set(target, false),
      )
  }, ASK_EVERY_MS)
  let turn = 0
  const server = createServer((request, response) => {
    const open = targets.filter((target) => ready.get(target))
    const target = open[turn++ % open.length]
    if (target === undefined) return void response.writeHead(502).end('no replica is ready')
    given.set(target, (given.get(target) ?? 0) + 1)
    forward(agent, target, request, response)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
  place.atEnd(() => {
    clearInterval(timer)
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://localhost:${port}`,
    isReady: (target) => ready.get(target) ?? false,
    given: (target) => given.get(target) ?? 0,
  }
}

function forward(agent: Agent, target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request
  const { hostname, port } = new URL(target)
  const upstream = httpRequest({ agent, hostname, port, method, path: url, headers }, (answer) => {
    const { connection: _connection, 'keep-alive': _keepAlive, ...kept } = answer.headers
    response.writeHead(answer.statusCode ?? 502, kept)
    answer.pipe(response)
  })
  upstream.once('error', (error) => {
    if (!response.headersSent) response.writeHead(502)
    response.end(`the replica dropped it: ${error.message}`)
  })
  request.pipe(upstream)
}
