import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { AUDITED, type AuditEntry } from '../activity/trail.ts'
import type { Config } from '../config.ts'
import type { OnStatement } from '../db/dialect.ts'
import { AppError, refusalOf } from '../http/errors.ts'
import type { ClassOf } from '../http/security/classes.ts'
import { isSameSecret } from '../secrets/tokens.ts'

type MetricsConfig = NonNullable<Config['metrics']>

/** `/metrics` on the site's port, with the token; or only on its own port. */
export function registerMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  { host, metrics: config }: { host: string; metrics: MetricsConfig },
): void {
  if (config.port !== null) {
    listenApart(app, metrics, { host, port: config.port, token: config.token })
    return
  }
  app.get('/metrics', async (request, reply) => {
    if (!isAllowed(request.raw, config.token))
      throw new AppError(401, 'unauthorized', 'A bearer token is needed', {
        headers: { 'www-authenticate': 'Bearer' },
      })
    return reply
      .header('cache-control', 'no-store')
      .type(metrics.contentType)
      .send(await metrics.text())
  })
}

function listenApart(
  app: FastifyInstance,
  metrics: Metrics,
  { host, port, token }: { host: string; port: number; token: string | null },
): void {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end()
    if (!isAllowed(request, token)) return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    try {
      const text = await metrics.text()
      response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text)
    } catch {
      response.writeHead(500).end()
    }
  })
  app.addHook('onReady', async () => {
    server.listen(port, host)
    await once(server, 'listening')
  })
  app.addHook('onClose', async () => {
    server.closeAllConnections()
    server.close()
  })
}

/** Hashes have one length, so the comparison takes constant time. */
function isAllowed({ headers }: IncomingMessage, token: string | null): boolean {
  if (token === null) return true
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return isSameSecret(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

const STATEMENT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5]

const HIGHEST_STATUS = 600

const SIGN_INS: Record<string, string> = {
  'auth.signed_in': 'succeeded',
  'auth.sign_in_failed': 'failed',
}

/**
 * Metrics for Prometheus. Frequent events are counted in plain numbers and read on request; nothing here contains a
 * person, an address or a path from a caller.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #fastAnswers = new Float64Array(HIGHEST_STATUS)
  readonly #requests = this.#counter('portico_requests_total', 'Requests answered.', ['class', 'status'])
  readonly #refusals = this.#counter('portico_refusals_total', 'Requests turned away, by what did it.', [
    'limit',
  ])
  readonly #signIns = this.#counter('portico_sign_ins_total', 'Sign-ins by outcome.', ['outcome'])
  readonly #deliveries = this.#counter(
    'portico_deliveries_total',
    'Attempts to deliver, by what each came to.',
    ['kind', 'outcome'],
  )
  readonly #failures = this.#counter('portico_statement_failures_total', 'Statements that failed.', ['kind'])
  readonly #latency = this.#histogram(
    'portico_request_duration_seconds',
    'Time to answer, of what is not served from memory.',
    ['class'],
    REQUEST_SECONDS,
  )
  readonly #statements = this.#histogram(
    'portico_statement_duration_seconds',
    'Time of a database statement, with its wait for a connection and for the disk.',
    ['kind'],
    STATEMENT_SECONDS,
  )

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
    this.#registry.registerMetric(this.#fastRequests())
  }

  /** Runs for each page request: one addition. */
  countFastAnswer(status: number): void {
    this.#fastAnswers[status] = (this.#fastAnswers[status] ?? 0) + 1
  }

  countRefusal(limit: string): void {
    this.#refusals.inc({ limit })
  }

  /** The result of an attempt; retried ones count as waiting. */
  countDelivery(kind: string, outcome: string): void {
    this.#deliveries.inc({ kind, outcome })
  }

  readonly onStatement: OnStatement = (kind, ms, failed) => {
    const short = kind.replace(/Query(Node)?$|Node$/, '').toLowerCase()
    this.#statements.observe({ kind: short }, ms / 1000)
    if (failed) this.#failures.inc({ kind: short })
  }

  watchRequests(app: FastifyInstance, classOf: ClassOf): void {
    AUDITED.subscribe(this.#onAudited)
    app.addHook('onResponse', (request, reply, done) => {
      const securityClass = classOf(request)
      this.#requests.inc({ class: securityClass, status: reply.statusCode })
      this.#latency.observe({ class: securityClass }, reply.elapsedTime / 1000)
      const refusal = refusalOf(request)
      if (refusal !== undefined) this.countRefusal('shed' in refusal ? 'event loop' : 'database')
      else if (reply.statusCode === 429) this.countRefusal(request.routeOptions.url ?? 'none')
      done()
    })
    app.addHook('onClose', async () => {
      AUDITED.unsubscribe(this.#onAudited)
    })
  }

  watchState(state: WatchedState): void {
    addStateGauges(this.#registry, state)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  readonly #onAudited = (entry: unknown): void => {
    const outcome = SIGN_INS[(entry as AuditEntry).action]
    if (outcome !== undefined) this.#signIns.inc({ outcome })
  }

  #fastRequests(): Counter<'status'> {
    const counts = this.#fastAnswers
    return new Counter({
      name: 'portico_memory_requests_total',
      help: 'Requests answered from memory: the page, its files and its tags.',
      labelNames: ['status'],
      registers: [],
      collect() {
        this.reset()
        for (const [status, count] of counts.entries()) if (count > 0) this.inc({ status }, count)
      },
    })
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] })
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.#registry] })
  }
}

/** Read from the database on request. */
export interface WatchedState {
  readQueue(): Promise<{ pending: number; failed: number; oldestPendingAt: string | null }>
  /** Waiting jobs by kind. */
  readDeliveries(): Promise<{ kind: string; waiting: number; oldestAt: string | null }[]>
  /** Number of pixels by health. */
  readTagHealth(): Promise<ReadonlyMap<string, number>>
  version: string
}

/** Requests within this time get the same values. */
const FRESH_MS = 5_000

/** Gauges of stored data. Omitted while the database is unavailable. */
export function addStateGauges(registry: Registry, state: WatchedState): void {
  const registers = [registry]
  const queue = remembered(() => state.readQueue())
  const health = remembered(() => state.readTagHealth())
  new Gauge({
    name: 'portico_newsletter_queue',
    help: 'Subscriptions that wait for their delivery, or were given up.',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset()
      const size = await queue()
      if (size === null) return
      this.set({ status: 'pending' }, size.pending)
      this.set({ status: 'failed' }, size.failed)
    },
  })
  new Gauge({
    name: 'portico_newsletter_queue_age_seconds',
    help: 'How long the oldest subscription has waited.',
    registers,
    async collect() {
      const size = await queue()
      this.remove()
      if (size === null) return
      const { oldestPendingAt } = size
      this.set(ageOf(oldestPendingAt))
    },
  })
  const deliveries = remembered(() => state.readDeliveries())
  new Gauge({
    name: 'portico_deliveries_waiting',
    help: 'What waits to be sent, by kind.',
    labelNames: ['kind'],
    registers,
    async collect() {
      this.reset()
      for (const { kind, waiting } of (await deliveries()) ?? []) this.set({ kind }, waiting)
    },
  })
  new Gauge({
    name: 'portico_deliveries_oldest_seconds',
    help: 'How long the oldest of a kind has waited to be sent.',
    labelNames: ['kind'],
    registers,
    async collect() {
      this.reset()
      for (const { kind, oldestAt } of (await deliveries()) ?? []) this.set({ kind }, ageOf(oldestAt))
    },
  })
  new Gauge({
    name: 'portico_tags',
    help: 'Active pixels by their health.',
    labelNames: ['health'],
    registers,
    async collect() {
      this.reset()
      for (const [name, count] of (await health()) ?? []) this.set({ health: name }, count)
    },
  })
  new Gauge({
    name: 'portico_build_info',
    help: 'The release that runs.',
    labelNames: ['version'],
    registers,
  }).set({ version: state.version }, 1)
}

function ageOf(at: string | null): number {
  return at === null ? 0 : Math.max(0, (Date.now() - Date.parse(at)) / 1000)
}

/** Null if it could not be read. */
function remembered<T>(read: () => Promise<T>): () => Promise<T | null> {
  let readAt = Number.NEGATIVE_INFINITY
  let known: Promise<T | null> = Promise.resolve(null)
  return () => {
    if (performance.now() - readAt > FRESH_MS) {
      readAt = performance.now()
      known = read().catch(() => null)
    }
    return known
  }
}
