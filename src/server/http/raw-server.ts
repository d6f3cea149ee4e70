import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { canonicalTarget, type Target } from './canonical-target.ts'
import { ConnectionKeeper } from './connection-keeper.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import type { Drain } from './drain.ts'
import { HEAD_BYTES } from './limits.ts'
import { refuse, refuseSocket } from './refuse.ts'
import { setRequestTarget } from './request-target.ts'
import type { Headers } from './security-headers.ts'

/** Answers a request in front of the framework and returns true, or leaves it alone. */
export type FastPath = (request: IncomingMessage, response: ServerResponse, target: Target) => boolean

/** Told of each request that is refused before anything looked at what it asks. */
export type OnRefused = (request: IncomingMessage, status: number, reason: string) => void

export type OnFastAnswer = (request: IncomingMessage, status: number) => void

const HEADERS_TIMEOUT_MS = 5_000
const REQUEST_TIMEOUT_MS = 8_000
const CHECK_INTERVAL_MS = 1_000
const KEEP_ALIVE_TIMEOUT_MS = 65_000
const RETRY_AFTER_SECONDS = 5

interface RawServerOptions {
  handler: RequestListener
  fastPath: FastPath
  /** On every answer that nobody gives headers of its own: the framework, too, writes some errors before any hook runs. */
  defaultHeaders: Headers
  limits: ConnectionLimits
  onRefused: OnRefused
  /** Told of each connection that is closed without an answer, because too many are open. */
  onDropped: () => void
  /** Told of each request that the fast path answered. */
  onFastAnswer: OnFastAnswer
  /** Once begun, each answer is its connection's last. */
  drain?: Pick<Drain, 'hasBegun'>
}

/** The framework's own timeouts do not reach a server that it did not make, so they are set here. */
export function createRawServer(options: RawServerOptions): Server {
  const { handler, fastPath, defaultHeaders, limits, onRefused, onDropped, onFastAnswer, drain } = options
  const defaults = new Map(Object.entries(defaultHeaders))
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    maxHeaderSize: HEAD_BYTES,
    // Node's own refusal carries no policy: a missing host is refused with the rest of what is not canonical.
    requireHostHeader: false,
  })
  const keeper = new ConnectionKeeper(server, limits, onDropped)

  const turnAway = (request: IncomingMessage, response: ServerResponse, status: number, reason: string) => {
    onRefused(request, status, reason)
    refuse(response, status, defaultHeaders)
  }

  const answer = (request: IncomingMessage, response: ServerResponse, expectsContinue = false) => {
    const decision = keeper.decide(request.socket, response)
    if (decision === 'ignore') return
    if (decision === 'refuse') {
      response.setHeader('retry-after', RETRY_AFTER_SECONDS)
      return turnAway(request, response, 503, 'too many connections')
    }
    if (drain?.hasBegun === true) response.setHeader('connection', 'close')
    const target = canonicalTarget(request)
    if ('refusal' in target) return turnAway(request, response, 400, target.refusal)
    if (fastPath(request, response, target)) return onFastAnswer(request, response.statusCode)
    setRequestTarget(request, target)
    response.setHeaders(defaults)
    if (expectsContinue) response.writeContinue()
    handler(request, response)
  }

  server.on('request', (request, response) => answer(request, response))
  server.on('checkContinue', (request, response) => answer(request, response, true))
  server.on('checkExpectation', (request, response) => {
    if (keeper.decide(request.socket, response) !== 'ignore')
      turnAway(request, response, 417, 'expectation unknown')
  })
  server.on('connect', (request, socket) => {
    onRefused(request, 400, 'form')
    refuseSocket(socket as Socket, 400, defaultHeaders)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else refuseSocket(socket as Socket, STATUS_BY_CODE[error.code ?? ''] ?? 400, defaultHeaders)
  })
  return server
}

const STATUS_BY_CODE: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}
