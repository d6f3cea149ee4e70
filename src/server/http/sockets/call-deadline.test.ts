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

test.each(['GET', 'POST'] as const)('answers a %s call whose handler never ends with 503', async (method) => {
  const site = app()
  site.route({ method, url: '/', handler: () => never })
  const answer = await site.inject({ method, url: '/', ...(method === 'POST' ? { payload: { a: 1 } } : {}) })
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5'])
  expect(answer.json()).toEqual({ code: 'database_unavailable' })
})

test('answers a call whose hook never ends with 503', async () => {
  const site = app()
  site.get('/', { preHandler: () => never }, async () => 'late')
  expect((await site.inject('/')).statusCode).toBe(503)
})

test('drops what a handler gives or throws after the deadline, without a line', async () => {
  const site = app()
  const gate = Promise.withResolvers<void>()
  site.get('/gives', async () => gate.promise.then(() => 'late'))
  site.get('/throws', async () => gate.promise.then(() => Promise.reject(new Error('late'))))
  for (const url of ['/gives', '/throws']) expect((await site.inject(url)).statusCode).toBe(503)
  gate.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines).toEqual([])
})

test('lets an answer that has begun go on, and a call that has a limit of its own', async () => {
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
