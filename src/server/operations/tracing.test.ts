import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import Fastify from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestApp } from '#tests/support/test-app.ts'
import { parseConfig } from '../config.ts'
import { Tracing } from './tracing.ts'

interface SentSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

interface Sent {
  headers: Record<string, unknown>
  path: string
  body: { resourceSpans: { resource: unknown; scopeSpans: { spans: SentSpan[] }[] }[] }
}

let collector: Server
let sent: Sent[]
let endpoint: string
beforeEach(async () => {
  sent = []
  collector = createServer(async (request, response) => {
    sent.push({
      headers: request.headers,
      path: request.url ?? '',
      body: (await json(request)) as Sent['body'],
    })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
})
afterEach(() => collector.close())

const TRACE = '0af7651916cd43dd8448eb211c80319c'

function makeTracing(): Tracing {
  const { tracing: config } = parseConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=abc',
    OTEL_SERVICE_NAME: 'site',
  })
  if (config === null) throw new Error('no tracing')
  return new Tracing(config)
}

function spansSent(): SentSpan[] {
  return sent.flatMap(({ body }) => body.resourceSpans[0]?.scopeSpans.flatMap(({ spans }) => spans) ?? [])
}

test('a call and its statements are one trace, which continues the proxy’s and contains no personal data', async () => {
  const site = await startTestApp({ tracing: makeTracing(), env: { TRUST_PROXY: 'true' } })
  await site.app.inject({
    method: 'POST',
    url: '/api/newsletter?segredo=1',
    headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` },
    payload: { email: 'ana@exemplo.com.br' },
  })
  await site.close()
  const spans = spansSent()
  expect(sent[0]?.path).toBe('/v1/traces')
  expect(sent[0]?.headers['x-key']).toBe('abc')
  expect(JSON.stringify(sent[0]?.body.resourceSpans[0]?.resource)).toContain('"site"')
  const call = spans.find(({ name }) => name === 'POST /api/newsletter')
  expect(call).toMatchObject({ traceId: TRACE, parentSpanId: 'b7ad6b7169203331' })
  expect(call?.attributes).toContainEqual({
    key: 'http.response.status_code',
    value: { intValue: 200 },
  })
  const statements = spans.filter(({ parentSpanId }) => parentSpanId === call?.spanId)
  expect(statements.map(({ name }) => name)).toContain('database insert')
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]))
  expect(JSON.stringify(spans)).not.toMatch(/exemplo|segredo|127\.0\.0\.1/)
})

async function askBare(): Promise<number> {
  const app = Fastify()
  makeTracing().watchRequests(app, { trustsProxy: false })
  app.get('/a', async () => 'a')
  const { statusCode } = await app.inject({
    url: '/a',
    headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` },
  })
  await app.close()
  return statusCode
}

test('does not continue a stranger’s trace', async () => {
  await askBare()
  expect(spansSent().map(({ name }) => name)).toEqual(['GET /a'])
  expect(spansSent()[0]?.traceId).not.toBe(TRACE)
})

test('an unreachable collector delays nothing', async () => {
  collector.close()
  expect(await askBare()).toBe(200)
  expect(spansSent()).toEqual([])
})
