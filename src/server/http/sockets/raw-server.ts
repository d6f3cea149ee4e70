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

/** No path answers a service worker: one that a tag registered would sit between the dashboard and the server. */
export function refuseServiceWorkers(headers: Headers): FastPath {
  return (request, response) => {
    const isWorker =
      request.headers['service-worker'] !== undefined ||
      request.headers['service-worker-navigation-preload'] !== undefined
    return isWorker && refuse(response, 403, headers)
  }
}

/** Answers a request in front of the framework and returns true, or leaves it alone. */
export type FastPath = (request: IncomingMessage, response: ServerResponse, target: Target) => boolean

/** Told of each request that is refused before anything looked at what it asks. */
export type OnRefused = (request: IncomingMessage, status: number, reason: string) => void

export type OnFastAnswer = (request: IncomingMessage, status: number) => void

const CHECK_INTERVAL_MS = 1_000

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
    headersTimeout: REQUEST_TIMES.headersMs,
    requestTimeout: REQUEST_TIMES.bodyMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: REQUEST_TIMES.keepAliveMs,
    maxHeaderSize: HEAD_BYTES,
    // Node's own refusal carries no policy: a missing host is refused with the rest of what is not canonical.
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
    // An earlier request's answer is flushed instead.
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

/** What no part of the site may answer, with the strictest headers. */
function refuse(response: ServerResponse, status: number, headers: Headers): true {
  const body = refusalBody(status)
  response.writeHead(status, { ...headers, ...bodyHeaders(body) })
  response.end(body)
  return true
}

/** The same where there is no request to answer, only bytes; the connection ends with it. */
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
 * Nobody has looked at the path yet, so the body has the fields of both protocols, whose clients take an empty 404 for
 * success and any other empty refusal for an error without a message.
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

/** The raw server sets it, once, before anything else looks at the request. */
function setRequestTarget(request: IncomingMessage, target: Target): void {
  targets.set(request, target)
}

/** The one target that headers, host rule, error pages and log go by. */
export function requestTarget(request: IncomingMessage): Target {
  const target = findRequestTarget(request)
  if (target === null) throw new AppError(400, 'bad_request', 'The request target is not canonical')
  return target
}

/** Null for a request made in process, past the raw server, whose target is not canonical. */
export function findRequestTarget(request: IncomingMessage): Target | null {
  const known = targets.get(request)
  if (known !== undefined) return known
  const target = canonicalTarget(request)
  if ('refusal' in target) return null
  targets.set(request, target)
  return target
}

/** What a request asks for, in the one spelling that every rule is decided on. */
export interface Target {
  /** Begins with a slash, has no empty or dot segment, and escapes nothing that may stand as itself. */
  readonly path: string
  /** As it came, without the question mark; null where there is none. */
  readonly query: string | null
  /** Lower case, with the port when one is named; null for a health check of HTTP/1.0 that names none. */
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

/** A segment that a server in front may read as "here" or "up", with the path parameter that hides it from some. */
const DOT_SEGMENT = /\/\.{1,2}(?:[/;]|$)/

/** Each percent sign begins an escape; what may not stand as itself is a byte past ASCII or one of ` "<>[]^`{|}`. */
const NEEDED_ESCAPES = /^(?:[^%]|%(?:[89A-F][0-9A-F]|2[02]|3[CE]|5[BDE]|60|7[BCD]))*$/

/** A name, an IPv4 or a bracketed IPv6 address, and a port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Supervisors and load balancers ask these, some in HTTP/1.0 without a host. They are answered however busy the process is. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/readyz/serve'])

/**
 * A router decodes, a proxy in front may merge slashes or resolve dots, and a rule that looks at the text then judges
 * something else than what answers. So nothing is normalised: a target that is not canonical already is refused, and
 * whoever looks at it afterwards sees the same text. The query is the application's and passes untouched.
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
  // Absolute form, the authority of CONNECT and the asterisk of OPTIONS: no path of this site.
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

/** Of several `Host` headers Node keeps the first and drops the others; another server may do otherwise. */
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
 * Every call is answered by its deadline, with 503 if nothing else: a database that takes seconds for each of ten
 * statements breaks no limit of a single one. An answer that has begun, such as a long list, may go on.
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
      // What the handler gives after the deadline goes to nobody.
      const { promise, reject } = Promise.withResolvers<never>()
      deadline.reject = reject
      return Promise.race([result, promise])
    }
  })
}

/** For a call that waits for something else than the database, and has a limit of its own for that. */
export function liftCallDeadline(request: FastifyRequest): void {
  clearTimeout(deadlines.get(request)?.timer)
}
