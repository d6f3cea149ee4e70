import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import type { AppError } from '../errors.ts'
import { liftCallDeadline, registerCallDeadline } from './raw-server.ts'

const DEADLINE_MS = 50
const never = new Promise<never>(() => {})
const lines: { msg: string; level: number }[] = []
const app = () => {
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const made = Fastify({ logger: { level: 'warn', stream } })
  registerCallDeadline(made, DEADLINE_MS)
  made.setErrorHandler((error, _request, reply) => {
    const { status, code, headers } = error as AppError
    return reply.code(status).headers(headers).send({ code })
  })
  opened.push(made)
  return made
}
const opened: ReturnType<typeof Fastify>[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
  lines.length = 0
})

test.each(['GET', 'POST'] as const)('returns 503 for a %s call whose handler never ends', async (method) => {
  const site = app()
  site.route({ method, url: '/', handler: () => never })
  const answer = await site.inject({ method, url: '/', ...(method === 'POST' ? { payload: { a: 1 } } : {}) })
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5'])
  expect(answer.json()).toEqual({ code: 'database_unavailable' })
})

test('returns 503 for a call whose hook never ends', async () => {
  const site = app()
  site.get('/', { preHandler: () => never }, async () => 'late')
  expect((await site.inject('/')).statusCode).toBe(503)
})

test('drops what a handler returns or throws after the deadline, without a log line', async () => {
  const site = app()
  const gate = Promise.withResolvers<void>()
  site.get('/gives', async () => gate.promise.then(() => 'late'))
  site.get('/throws', async () => gate.promise.then(() => Promise.reject(new Error('late'))))
  for (const url of ['/gives', '/throws']) expect((await site.inject(url)).statusCode).toBe(503)
  gate.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines).toEqual([])
})

test('lets a started response continue, and a call with its own limit', async () => {
  const site = app()
  const slow = async function* () {
    yield 'a'
    await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS * 3))
    yield 'b'
  }
  site.get('/begun', async (_request, reply) => reply.send(new ReadableStream({ pull: pullOf(slow()) })))
  site.get('/lifted', async (request) => {
    liftCallDeadline(request)
    await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS * 3))
    return 'whole'
  })
  expect((await site.inject('/begun')).body).toBe('ab')
  expect((await site.inject('/lifted')).body).toBe('whole')
})

function pullOf(parts: AsyncGenerator<string>) {
  return async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await parts.next()
    if (done) controller.close()
    else controller.enqueue(new TextEncoder().encode(value))
  }
}
