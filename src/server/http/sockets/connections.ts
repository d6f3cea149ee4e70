import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CONNECTIONS } from '../limits/limits.ts'

interface Connection {
  /** Above a limit when it was opened: it is refused and closed. */
  readonly isSurplus: boolean
  requests: number
  /** The last response that could be sent at once. */
  current: ServerResponse | null
  /** Responses to pipelined requests, in order: Node sends one after the other. */
  readonly waiting: Set<ServerResponse>
  isEnding: boolean
}

/** What to do with a request: `serve` it, `refuse` it with 503, or `ignore` it because its connection ends. */
type Decision = 'serve' | 'refuse' | 'ignore'

/** Space above the limits for connections that get a refusal: 25 %. */
const SURPLUS = 1.25

/** From this share of the limit on, idle connections are closed. */
const CROWDED = 0.8

const CLOSE_IDLE_EVERY_MS = 1_000

/** Counts connections and their requests, and ends those beyond their limits. */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #connections = new WeakMap<Socket, Connection>()
  readonly #perAddress = new Map<string, number>()
  #open = 0
  #closedIdleAt = 0

  readonly #onDropped: () => void

  constructor(server: Server, limits: ConnectionLimits, onDropped: () => void) {
    this.#limits = limits
    this.#onDropped = onDropped
    // Beyond this, a connection is closed without a response.
    server.maxConnections = Math.ceil(limits.total * SURPLUS)
    server.on('drop', onDropped)
    server.timeout = limits.stalledMs
    server.on('connection', (socket) => this.#accept(server, socket))
  }

  #accept(server: Server, socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const fromAddress = (this.#perAddress.get(address) ?? 0) + 1
    const perAddress = this.#limits.perAddress ?? Number.POSITIVE_INFINITY
    if (fromAddress > Math.ceil(perAddress * SURPLUS)) {
      socket.destroy()
      this.#onDropped()
      return
    }
    this.#open++
    this.#perAddress.set(address, fromAddress)
    socket.once('close', () => this.#forget(address))
    const isSurplus = this.#open > this.#limits.total || fromAddress > perAddress
    this.#connections.set(socket, {
      isSurplus,
      requests: 0,
      current: null,
      waiting: new Set(),
      isEnding: false,
    })
    if (this.#open > this.#limits.total * CROWDED) this.#closeIdle(server)
  }

  #forget(address: string): void {
    this.#open--
    const left = (this.#perAddress.get(address) ?? 1) - 1
    if (left === 0) this.#perAddress.delete(address)
    else this.#perAddress.set(address, left)
  }

  #closeIdle(server: Server): void {
    const now = performance.now()
    if (now - this.#closedIdleAt < CLOSE_IDLE_EVERY_MS) return
    this.#closedIdleAt = now
    server.closeIdleConnections()
  }

  decide(socket: Socket, response: ServerResponse): Decision {
    const connection = this.#connections.get(socket)
    if (connection === undefined || connection.isEnding || socket.destroyed) return 'ignore'
    // Node gives the socket to one response at a time. Only those that wait need a listener, which costs 10 % of a visit.
    if (response.socket !== null) connection.current = response
    else if (connection.waiting.size < this.#limits.pipelined) wait(connection, response)
    else {
      connection.isEnding = true
      stopParsing(socket)
      socket.destroy()
      return 'ignore'
    }
    connection.requests++
    // After a response that closes the connection, later requests get no answer.
    if (!response.shouldKeepAlive) connection.isEnding = true
    if (connection.isSurplus || connection.requests >= this.#limits.requestsPerSocket) {
      connection.isEnding = true
      response.setHeader('connection', 'close')
    }
    return connection.isSurplus ? 'refuse' : 'serve'
  }

  /** True while part of a response is sent: other bytes would corrupt it. */
  isAnswering(socket: Socket): boolean {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return false
    const { current, waiting } = connection
    return [current, ...waiting].some((response) => response?.socket === socket && response.headersSent)
  }
}

function wait({ waiting }: Connection, response: ServerResponse): void {
  waiting.add(response)
  response.once('close', () => waiting.delete(response))
}

interface Parser {
  onIncoming?: () => number
}

/**
 * One chunk of 64 KB contains thousands of short requests, and Node's parser creates objects for all of them, even on a
 * destroyed socket: a thousand such clients cost 330 MB and seconds. Marking the connection as upgraded (2) stops the
 * parser; this has no public name.
 */
function stopParsing(socket: Socket & { parser?: Parser | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2
}

/** How much of the process strangers may hold by connections alone. */
export interface ConnectionLimits {
  /** Beyond this, a connection's first request gets 503. */
  total: number
  /** The same for one address; null behind a proxy, whose address everybody shares. */
  perAddress: number | null
  /** Then the connection is closed, with a response that says so. */
  requestsPerSocket: number
  /** Requests sent before earlier responses were read; browsers and proxies send none. */
  pipelined: number
  /** How long a connection may stall during a request or response. */
  stalledMs: number
}

/** For threads, files, the database and outgoing calls. An idle server has 36 open, and each further thread opens 6. */
const OWN_DESCRIPTORS = 64

/** Half of the descriptors, and at least the server's own, stay free when connections are at their limit. */
export function defaultConnectionLimits({ trustsProxy }: { trustsProxy: boolean }): ConnectionLimits {
  const openFiles = openFilesLimit()
  const forConnections = Math.min(openFiles / 2, openFiles - OWN_DESCRIPTORS)
  const total = Math.max(1, Math.min(CONNECTIONS.total, Math.floor(forConnections / SURPLUS)))
  return {
    total,
    perAddress: trustsProxy ? null : Math.max(1, Math.min(CONNECTIONS.perAddress, Math.floor(total / 2))),
    requestsPerSocket: CONNECTIONS.requestsPerSocket,
    pipelined: CONNECTIONS.pipelined,
    stalledMs: CONNECTIONS.stalledMs,
  }
}

interface Report {
  userLimits?: { open_files?: { soft?: number | 'unlimited' } }
}

/** Windows has no such limit in its report. */
function openFilesLimit(): number {
  // Without this the report resolves the names of all peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { soft } = (process.report.getReport() as Report).userLimits?.open_files ?? {}
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
