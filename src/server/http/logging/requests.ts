import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refusalOf } from '../errors.ts'
import type { OnFastAnswer, OnRefused } from '../sockets/raw-server.ts'
import type { Logger } from './logger.ts'

const MAX_PATH_LENGTH = 200

/** While too much is asked or the database is away, every call says the same: one line, and the number of the others. */
const REFUSED_LINES_PER_WINDOW = 1

interface RequestLogOptions {
  /** A line for every request, those of the fast path too, however many there are. */
  everything?: boolean
  trustsProxy?: boolean
}

/** One line for each answer as long as there are few of its kind: method, path, status and id, never a query. */
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

  /** For what is answered from memory: nothing is written unless everything is. */
  get onFastAnswer(): OnFastAnswer | null {
    if (!this.#everything) return null
    return (request, status) => {
      const requestId = passedRequestId(request, this.#trustsProxy) ?? undefined
      const { method, url = '' } = request
      this.#log.info({ requestId, method, path: loggedPath(url), status, memory: true }, 'answered')
    }
  }

  /** For what is refused before the framework sees it. */
  readonly onRefused: OnRefused = ({ method, url = '' }, status, reason) => {
    if (this.#sampler.take(`refused ${status} ${reason}`, { status, reason }))
      this.#log.info({ method, path: loggedPath(url), status, reason }, 'refused')
  }

  /** For connections past every limit; without descriptors there is nobody to answer them with. */
  readonly onDropped = (): void => {
    const kind = { reason: 'too many connections' }
    if (this.#sampler.take('dropped', kind, REFUSED_LINES_PER_WINDOW))
      this.#log.warn(kind, 'connections are closed without an answer')
  }

  /** For everything that the framework answers. */
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
    else request.log.info(line, 'answered')
  }
}

/** A whole address may carry a name and a password: of what is no path nothing is written. */
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
 * Keeps strangers from filling the disk with log lines. Of each kind of line the first few in a window are written; the
 * rest are counted, and one line tells the count when the window ends.
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
   * True when this line may be written; else it is counted in one that shows its `kind`. What makes up a key must be
   * ours, such as a route and a status, so that there are few.
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

  /** Ends the window: tells what was counted, and begins anew. */
  flush(): void {
    for (const { kind, unlogged } of this.#samples.values())
      if (unlogged > 0)
        this.#log.info({ ...kind, count: unlogged }, 'more of the same, not logged one by one')
    this.#samples.clear()
  }

  close(): void {
    clearInterval(this.#timer)
    this.flush()
  }
}

const PASSED_ON = /^[\w.-]{8,64}$/

/** The id that a trusted proxy gave a request, when it has the form of one; null for whatever else came in its place. */
export function passedRequestId(
  { headers }: Pick<IncomingMessage, 'headers'>,
  trustsProxy: boolean,
): string | null {
  const id = headers['x-request-id']
  return trustsProxy && typeof id === 'string' && PASSED_ON.test(id) ? id : null
}
