import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Config, VERSION } from '../config.ts'
import type { OnStatement } from '../db/dialect.ts'

const SEND_MS = 5_000
/** An unreachable collector must not delay the exit. */
const LAST_SEND_MS = 1_000

/**
 * A span for each call of the framework, and one below it for each statement, by OTLP over HTTP. Responses from memory
 * are not traced, and spans contain no query, address or statement values.
 */
export class Tracing {
  readonly #provider: TracerProvider
  readonly #tracer
  readonly #active = new AsyncLocalStorage<Span>()
  readonly #spans = new WeakMap<FastifyRequest, Span>()

  constructor({ endpoint, headers, serviceName }: NonNullable<Config['tracing']>) {
    const exporter = new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      headers: { ...headers },
      timeoutMillis: SEND_MS,
    })
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': VERSION }),
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    })
    this.#tracer = this.#provider.getTracer('portico', VERSION)
  }

  watchRequests(app: FastifyInstance, { trustsProxy }: { trustsProxy: boolean }): void {
    app.addHook('onRequest', (request, _reply, done) => {
      const span = this.#begin(request, trustsProxy)
      this.#spans.set(request, span)
      this.#active.run(span, done)
    })
    // Reading a body leaves the context of the hook above.
    app.addHook('preValidation', (request, _reply, done) => {
      const span = this.#spans.get(request)
      if (span === undefined) done()
      else this.#active.run(span, done)
    })
    app.addHook('onResponse', async (request, reply) => {
      const span = this.#spans.get(request)
      span?.setAttribute('http.response.status_code', reply.statusCode)
      if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
    })
    app.addHook('onClose', async () => {
      const over = AbortSignal.timeout(LAST_SEND_MS)
      const tooLate = once(over, 'abort').then(() => Promise.reject(over.reason))
      await Promise.race([this.#provider.shutdown(), tooLate]).catch((error: unknown) => {
        app.log.warn({ err: error }, 'last traces not sent')
      })
    })
  }

  readonly onStatement: OnStatement = (kind, ms, failed) => {
    const parent = this.#active.getStore()
    if (parent === undefined) return
    const end = Date.now()
    const name = kind.replace(/Query(Node)?$|Node$/, '').toLowerCase()
    const span = this.#tracer.startSpan(
      `database ${name}`,
      { kind: SpanKind.CLIENT, startTime: end - ms, attributes: { 'db.operation.name': name } },
      trace.setSpan(ROOT_CONTEXT, parent),
    )
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(end)
  }

  #begin(request: FastifyRequest, trustsProxy: boolean): Span {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none')
    return this.#tracer.startSpan(
      `${request.method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': request.method,
          'http.route': route,
          'portico.request_id': request.id,
        },
      },
      trustsProxy ? passedContext(request) : ROOT_CONTEXT,
    )
  }
}

/** Only a trusted proxy's trace is continued: a stranger could send any. */
function passedContext({ headers }: FastifyRequest): Context {
  const parent = typeof headers.traceparent === 'string' ? parseTraceParent(headers.traceparent) : null
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
}
