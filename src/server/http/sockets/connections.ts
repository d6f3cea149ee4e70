import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CONNECTIONS } from '../limits/limits.ts'

interface Connection {
  /** Above a limit when it came: it is told so and closed. */
  readonly isSurplus: boolean
  requests: number
  /** Those that are not through yet, in the order of their requests: Node sends one after the other. */
  readonly answers: Set<ServerResponse>
  isEnding: boolean
}

/** What is to be done with a request: `serve` it, `refuse` it with a 503, or `ignore` it, for its connection ends. */
type Decision = 'serve' | 'refuse' | 'ignore'

/** Room above the limits for those who are told so: a quarter more. */
const SURPLUS = 1.25

/** From this share of the limit on, connections that nobody uses make room. */
const CROWDED = 0.8

const CLOSE_IDLE_EVERY_MS = 1_000

/** Counts connections and what each asks, and ends those that hold more than their share. */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #connections = new WeakMap<Socket, Connection>()
  readonly #perAddress = new Map<string, number>()
  #open = 0
  #madeRoomAt = 0

  readonly #onDropped: () => void

  constructor(server: Server, limits: ConnectionLimits, onDropped: () => void) {
    this.#limits = limits
    this.#onDropped = onDropped
    // Past this as well, a connection is closed without an answer.
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
    this.#connections.set(socket, { isSurplus, requests: 0, answers: new Set(), isEnding: false })
    if (this.#open > this.#limits.total * CROWDED) this.#makeRoom(server)
  }

  #forget(address: string): void {
    this.#open--
    const left = (this.#perAddress.get(address) ?? 1) - 1
    if (left === 0) this.#perAddress.delete(address)
    else this.#perAddress.set(address, left)
  }

  #makeRoom(server: Server): void {
    const now = performance.now()
    if (now - this.#madeRoomAt < CLOSE_IDLE_EVERY_MS) return
    this.#madeRoomAt = now
    server.closeIdleConnections()
  }

  decide(socket: Socket, response: ServerResponse): Decision {
    const connection = this.#connections.get(socket)
    if (connection === undefined || connection.isEnding || socket.destroyed) return 'ignore'
    const { answers } = connection
    if (answers.size > this.#limits.pipelined) {
      connection.isEnding = true
      stopParsing(socket)
      socket.destroy()
      return 'ignore'
    }
    answers.add(response)
    response.once('close', () => answers.delete(response))
    connection.requests++
    // After an answer that ends the connection nobody would hear of what else was asked.
    if (!response.shouldKeepAlive) connection.isEnding = true
    if (connection.isSurplus || connection.requests >= this.#limits.requestsPerSocket) {
      connection.isEnding = true
      response.setHeader('connection', 'close')
    }
    return connection.isSurplus ? 'refuse' : 'serve'
  }

  /** Whether a part of an answer is on its way: bytes beside it would be taken for a part of it. */
  isAnswering(socket: Socket): boolean {
    const [first] = this.#connections.get(socket)?.answers ?? []
    return first?.headersSent ?? false
  }
}

interface Parser {
  onIncoming?: () => number
}

/**
 * One chunk of 64 KB holds thousands of short requests, and Node's parser makes objects of them all, of a destroyed socket
 * as well: a thousand such clients were 330 MB and seconds. Telling it that the connection was upgraded (2) ends that; it
 * has no public name.
 */
function stopParsing(socket: Socket & { parser?: Parser | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2
}

/** How much of the process strangers may hold by their connections alone. */
export interface ConnectionLimits {
  /** Past this, a connection's first request is answered with a 503. */
  total: number
  /** The same for one address; null behind a proxy, whose address everybody shares. */
  perAddress: number | null
  /** Then the connection is closed, with the answer that says so. */
  requestsPerSocket: number
  /** Requests sent before the answers to earlier ones were read; browsers and proxies send none. */
  pipelined: number
  /** How long a connection may stand still in the middle of a request or its answer. */
  stalledMs: number
}

/** Half of the descriptors stay for files, the database, outgoing calls, and for answers that refuse. */
export function defaultConnectionLimits({ trustsProxy }: { trustsProxy: boolean }): ConnectionLimits {
  const total = Math.max(1, Math.min(CONNECTIONS.total, Math.floor(openFilesLimit() / 2)))
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

/** Windows has no such limit, and its report says nothing of one. */
function openFilesLimit(): number {
  // Without this the report looks up the names of all peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { soft } = (process.report.getReport() as Report).userLimits?.open_files ?? {}
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
