import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, late } from '../errors.ts'
import { HEAD_BYTES, REQUEST_TIMES, RETRY_AFTER_SECONDS } from '../limits/limits.ts'
import type { Headers } from '../security/headers.ts'
import { type ConnectionLimits, Connections } from './connections.ts'
import type { Drain } from './shutdown.ts'

/** No path serves a service worker: one registered by a tag would control the dashboard. */
export function refuseServiceWorkers(headers: Headers): FastPath {
  return (request, response) => {
    const isWorker =
      request.headers['service-worker'] !== undefined ||
      request.headers['service-worker-navigation-preload'] !== undefined
    return isWorker && refuse(response, 403, headers)
  }
}

/** Answers a request before the framework and returns true, or leaves it alone. */
export type FastPath = (request: IncomingMessage, response: ServerResponse, target: Target) => boolean

/** Called for each request refused before routing. */
export type OnRefused = (request: IncomingMessage, status: number, reason: string) => void

export type OnFastAnswer = (request: IncomingMessage, status: number) => void

const CHECK_INTERVAL_MS = 1_000

interface RawServerOptions {
  handler: RequestListener
  fastPath: FastPath
  /** For every response without its own headers: the framework writes some errors before any hook runs. */
  defaultHeaders: Headers
  limits: ConnectionLimits
  onRefused: OnRefused
  /** Called for each connection closed without a response because too many are open. */
  onDropped: () => void
  /** Called for each request answered by the fast path. */
  onFastAnswer: OnFastAnswer
  /** Once it has begun, each response closes its connection. */
  drain?: Pick<Drain, 'hasBegun'>
}

/** The framework's timeouts do not apply to a server that it did not create, so they are set here. */
export function createRawServer(options: RawServerOptions): Server {
  const { handler, fastPath, defaultHeaders, limits, onRefused, onDropped, onFastAnswer, drain } = options
  const defaults = new Map(Object.entries(defaultHeaders))
  const server = createServer({
    headersTimeout: REQUEST_TIMES.headersMs,
    requestTimeout: REQUEST_TIMES.bodyMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: REQUEST_TIMES.keepAliveMs,
    maxHeaderSize: HEAD_BYTES,
    // Node's own refusal has no policy: a missing host is refused with everything else that is not canonical.
    requireHostHeader: false,
  })
  const connections = new Connections(server, limits, onDropped)

  const turnAway = (request: IncomingMessage, response: ServerResponse, status: number, reason: string) => {
    onRefused(request, status, reason)
    refuse(response, status, defaultHeaders)
  }

  const answer = (request: IncomingMessage, response: ServerResponse, expectsContinue = false) => {
    const decision = connections.decide(request.socket, response)
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
    if (connections.decide(request.socket, response) !== 'ignore')
      turnAway(request, response, 417, 'expectation unknown')
  })
  const refuseBytes = (socket: Socket, status: number) => {
    // The earlier response is flushed instead.
    if (connections.isAnswering(socket)) socket.destroySoon()
    else refuseSocket(socket, status, defaultHeaders)
  }
  server.on('connect', (request, socket) => {
    onRefused(request, 400, 'form')
    refuseBytes(socket as Socket, 400)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else refuseBytes(socket as Socket, STATUS_BY_CODE[error.code ?? ''] ?? 400)
  })
  return server
}

const STATUS_BY_CODE: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** A refusal with the strictest headers. */
function refuse(response: ServerResponse, status: number, headers: Headers): true {
  const body = refusalBody(status)
  response.writeHead(status, { ...headers, ...bodyHeaders(body) })
  response.end(body)
  return true
}

/** The same without a request, on the socket; the connection ends. */
function refuseSocket(socket: Socket, status: number, headers: Headers): void {
  const body = refusalBody(status)
  const all = { ...headers, ...bodyHeaders(body), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n')
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy())
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  403: 'Service workers are not served',
  408: 'The request did not arrive in time',
  413: 'The request is too large',
  417: 'The expectation is not supported',
  431: 'The address and the headers of the request are too long',
  503: 'There are too many connections',
}

/**
 * The path is unknown at this point, so the body has the fields of both protocols: their clients take an empty 404 for
 * success and other empty refusals for errors without a message.
 */
function refusalBody(status: number): string {
  const code = (STATUS_CODES[status] ?? '').toLowerCase().replaceAll(' ', '_')
  const message = REASONS[status] ?? STATUS_CODES[status]
  return JSON.stringify({ code, message, details: null, hint: null, error_code: code, msg: message })
}

function bodyHeaders(body: string): Headers {
  return {
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  }
}

const targets = new WeakMap<IncomingMessage, Target>()

/** Set once by the raw server, before anything else sees the request. */
function setRequestTarget(request: IncomingMessage, target: Target): void {
  targets.set(request, target)
}

/** The target used by headers, host rule, error pages and log. */
export function requestTarget(request: IncomingMessage): Target {
  const target = findRequestTarget(request)
  if (target === null) throw new AppError(400, 'bad_request', 'The request target is not canonical')
  return target
}

/** Null for an injected request whose target is not canonical. */
export function findRequestTarget(request: IncomingMessage): Target | null {
  const known = targets.get(request)
  if (known !== undefined) return known
  const target = canonicalTarget(request)
  if ('refusal' in target) return null
  targets.set(request, target)
  return target
}

/** The canonical target of a request, on which every rule is decided. */
export interface Target {
  /** Begins with a slash, has no empty or dot segment, and escapes only what must be. */
  readonly path: string
  /** Unchanged, without the question mark; null if there is none. */
  readonly query: string | null
  /** Lower case, with the port if given; null for an HTTP/1.0 health check without one. */
  readonly host: string | null
}

/** Why a request has no canonical target. */
interface NotCanonical {
  readonly refusal:
    | 'version'
    | 'form'
    | 'character'
    | 'escape'
    | 'empty segment'
    | 'dot segment'
    | 'host missing'
    | 'host repeated'
    | 'host malformed'
}

type RequestHead = Pick<IncomingMessage, 'url' | 'httpVersion' | 'rawHeaders'>

/** RFC 3986: the characters of a path (`pchar` and the slash), and the percent sign of an escape. */
const PATH_CHARACTERS = /^[\w\-.~!$&'()*+,;=:@/%]*$/

/** A segment that a proxy may read as "here" or "up", also with a path parameter that hides it. */
const DOT_SEGMENT = /\/\.{1,2}(?:[/;]|$)/

/** Each percent sign begins an escape of a byte beyond ASCII or one of ` "<>[]^`{|}`. */
const NEEDED_ESCAPES = /^(?:[^%]|%(?:[89A-F][0-9A-F]|2[02]|3[CE]|5[BDE]|60|7[BCD]))*$/

/** A name, an IPv4 or a bracketed IPv6 address, and a port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** For supervisors and load balancers, some with HTTP/1.0 without a host. Answered however busy the process is. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/readyz/serve'])

/**
 * Routers decode, proxies merge slashes or resolve dots, and a rule that looks at the raw text then checks something
 * else than what answers. So nothing is normalised: a target that is not canonical is refused, and everything after
 * sees the same text. The query is left alone.
 */
export function canonicalTarget({ url = '', httpVersion, rawHeaders }: RequestHead): Target | NotCanonical {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return { refusal: 'version' }
  const queryAt = url.indexOf('?')
  const path = queryAt === -1 ? url : url.slice(0, queryAt)
  const fault = pathFault(path)
  if (fault !== null) return { refusal: fault }
  const hosts = hostsOf(rawHeaders)
  if (hosts.length > 1) return { refusal: 'host repeated' }
  const [host = null] = hosts
  if (host === null && (httpVersion === '1.1' || !HEALTH_PATHS.has(path))) return { refusal: 'host missing' }
  if (host !== null && !HOST.test(host)) return { refusal: 'host malformed' }
  return { path, query: queryAt === -1 ? null : url.slice(queryAt + 1), host: host?.toLowerCase() ?? null }
}

function pathFault(path: string): NotCanonical['refusal'] | null {
  if (path === '/') return null
  // Absolute form, the authority of CONNECT and the asterisk of OPTIONS.
  if (!path.startsWith('/')) return 'form'
  if (!PATH_CHARACTERS.test(path)) return 'character'
  if (path.includes('//')) return 'empty segment'
  if (path.includes('/.') && DOT_SEGMENT.test(path)) return 'dot segment'
  if (path.includes('%') && !(NEEDED_ESCAPES.test(path) && isUtf8(path))) return 'escape'
  return null
}

function isUtf8(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Node keeps the first of several `Host` headers; other servers may not. */
function hostsOf(rawHeaders: readonly string[]): string[] {
  const hosts: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '')
  }
  return hosts
}

interface Deadline {
  timer: NodeJS.Timeout
  /** Set while the handler runs: rejects what the framework waits for. */
  reject: ((error: Error) => void) | null
}

const deadlines = new WeakMap<FastifyRequest, Deadline>()

/**
 * Every call is answered by its deadline, with 503 if necessary: a database that takes seconds for each of ten
 * statements exceeds no single limit. A started response, such as a long list, may continue.
 */
export function registerCallDeadline(app: FastifyInstance, deadlineMs = REQUEST_TIMES.answerMs): void {
  app.addHook('onRequest', (request, reply, done) => {
    const timer = setTimeout(() => {
      if (reply.sent || reply.raw.headersSent) return
      const error = late(request, deadlineMs)
      if (deadline.reject !== null) deadline.reject(error)
      else void reply.send(error)
    }, deadlineMs)
    const deadline: Deadline = { timer, reject: null }
    deadlines.set(request, deadline)
    reply.raw.once('close', () => clearTimeout(timer))
    done()
  })
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const result: unknown = handler.call(this, request, reply)
      const deadline = deadlines.get(request)
      if (!(result instanceof Promise) || deadline === undefined) return result
      // What the handler returns after the deadline is dropped.
      const { promise, reject } = Promise.withResolvers<never>()
      deadline.reject = reject
      return Promise.race([result, promise])
    }
  })
}

/** For a call that waits for something else than the database and has its own limit. */
export function liftCallDeadline(request: FastifyRequest): void {
  clearTimeout(deadlines.get(request)?.timer)
}
