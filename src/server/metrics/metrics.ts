import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { AUDITED, type AuditEntry } from '../db/audit.ts'
import type { OnStatement } from '../db/on-statement.ts'
import { refusalOf } from '../http/refusals.ts'
import type { ClassOf } from '../http/security-class.ts'
import { addStateGauges, type WatchedState } from './state-gauges.ts'

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const STATEMENT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5]
const HIGHEST_STATUS = 600

const SIGN_INS: Record<string, string> = {
  'auth.signed_in': 'succeeded',
  'auth.sign_in_failed': 'failed',
}

/**
 * What Prometheus reads. What happens often is counted in plain numbers and read when somebody asks; nothing here names
 * a person, an address or a path that a caller wrote.
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

  /** Runs for each request of the page: one addition. */
  countFastAnswer(status: number): void {
    this.#fastAnswers[status] = (this.#fastAnswers[status] ?? 0) + 1
  }

  countRefusal(limit: string): void {
    this.#refusals.inc({ limit })
  }

  /** What an attempt came to; what will be tried again waits. */
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
