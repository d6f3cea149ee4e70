import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refusalOf } from '../errors.ts'
import type { OnFastAnswer, OnRefused } from '../sockets/raw-server.ts'
import type { Logger } from './logger.ts'

const MAX_PATH_LENGTH = 200

/** Under overload or without the database, every call is the same: one line and a count. */
const REFUSED_LINES_PER_WINDOW = 1

interface RequestLogOptions {
  /** A line for every request, including the fast path. */
  everything?: boolean
  trustsProxy?: boolean
}

/** One line per response while there are few of a kind: method, path, status and id, never a query. */
export class RequestLog {
  readonly #log: Logger
  readonly #sampler: LogSampler
  readonly #everything: boolean
  readonly #trustsProxy: boolean

  constructor(log: Logger, { everything = false, trustsProxy = false }: RequestLogOptions = {}) {
    this.#log = log
    this.#sampler = new LogSampler(log)
    this.#everything = everything
    this.#trustsProxy = trustsProxy
  }

  /** For responses from memory: nothing is written unless everything is logged. */
  get onFastAnswer(): OnFastAnswer | null {
    if (!this.#everything) return null
    return (request, status) => {
      const requestId = passedRequestId(request, this.#trustsProxy) ?? undefined
      const { method, url = '' } = request
      this.#log.info({ requestId, method, path: loggedPath(url), status, memory: true }, 'request completed')
    }
  }

  /** For requests refused before the framework. */
  readonly onRefused: OnRefused = ({ method, url = '' }, status, reason) => {
    if (this.#sampler.take(`refused ${status} ${reason}`, { status, reason }))
      this.#log.info({ method, path: loggedPath(url), status, reason }, 'request refused')
  }

  /** For connections beyond every limit, which get no response. */
  readonly onDropped = (): void => {
    const kind = { reason: 'too many connections' }
    if (this.#sampler.take('dropped', kind, REFUSED_LINES_PER_WINDOW))
      this.#log.warn(kind, 'connections closed without a response')
  }

  /** For responses of the framework. */
  register(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      this.#write(request, reply)
      done()
    })
    app.addHook('onClose', async () => this.#sampler.close())
  }

  #write(request: FastifyRequest, reply: FastifyReply): void {
    const status = reply.statusCode
    const { url: route = 'none' } = request.is404 ? {} : request.routeOptions
    const refusal = refusalOf(request)
    const isWritten =
      refusal === undefined
        ? this.#sampler.take(`${route} ${status}`, { route, status })
        : this.#sampler.take(Object.keys(refusal).join(), { status, ...refusal }, REFUSED_LINES_PER_WINDOW)
    if (!isWritten && !this.#everything) return
    const line = {
      method: request.method,
      path: loggedPath(request.url),
      status,
      ms: Math.round(reply.elapsedTime),
      ...refusal,
    }
    if (refusal !== undefined && 'unavailable' in refusal)
      request.log.warn(line, 'the database is unavailable')
    else request.log.info(line, 'request completed')
  }
}

/** An absolute address may contain credentials: only paths are logged. */
function loggedPath(url: string): string | undefined {
  return url.startsWith('/') ? url.split('?', 1)[0]?.slice(0, MAX_PATH_LENGTH) : undefined
}

const WINDOW_MS = 10_000

const LINES_PER_WINDOW = 20

interface Sample {
  kind: object
  lines: number
  unlogged: number
}

/**
 * Keeps strangers from filling the disk with log lines. The first few lines of a kind in a window are written; the rest
 * are counted, and one line reports the count when the window ends.
 */
class LogSampler {
  readonly #log: Logger
  readonly #samples = new Map<string, Sample>()
  readonly #timer: NodeJS.Timeout

  constructor(log: Logger) {
    this.#log = log
    this.#timer = setInterval(() => this.flush(), WINDOW_MS).unref()
  }

  /**
   * True if this line may be written; else it is counted under its `kind`. Keys must be built from our own values, such
   * as route and status, so that there are few.
   */
  take(key: string, kind: object, lines = LINES_PER_WINDOW): boolean {
    let sample = this.#samples.get(key)
    if (sample === undefined) {
      sample = { kind, lines: 0, unlogged: 0 }
      this.#samples.set(key, sample)
    }
    if (sample.lines < lines) {
      sample.lines++
      return true
    }
    sample.unlogged++
    return false
  }

  /** Ends the window: logs the counts and begins a new one. */
  flush(): void {
    for (const { kind, unlogged } of this.#samples.values())
      if (unlogged > 0) this.#log.info({ ...kind, count: unlogged }, 'similar lines suppressed')
    this.#samples.clear()
  }

  close(): void {
    clearInterval(this.#timer)
    this.flush()
  }
}

const PASSED_ON = /^[\w.-]{8,64}$/

/** The request id from a trusted proxy, if it has the right form; else null. */
export function passedRequestId(
  { headers }: Pick<IncomingMessage, 'headers'>,
  trustsProxy: boolean,
): string | null {
  const id = headers['x-request-id']
  return trustsProxy && typeof id === 'string' && PASSED_ON.test(id) ? id : null
}
