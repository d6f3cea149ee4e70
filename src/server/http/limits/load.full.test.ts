import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { LOAD } from './limits.ts'
import { registerLoadShedding } from './load.ts'

interface Line {
  msg: string
  shed?: boolean
  count?: number
}

const log: Line[] = []
let site: TestApp
beforeAll(async () => {
  site = await startTestApp({
    listen: true,
    maxEventLoopDelayMs: LOAD.eventLoopDelayMs,
    log: pino({ level: 'info' }, { write: (line) => void log.push(JSON.parse(line)) }),
  })
})
afterAll(() => site.close())

test('returns 503 for calls while the event loop lags, and 200 for the page and health checks', async () => {
  let shed = 0
  const call = async () => {
    const answer = await fetch(`${site.url}/auth/v1/health`)
    if (answer.status === 503) shed++
    return answer
  }
  const statuses = async () => ({
    call: (await call()).status,
    page: (await fetch(site.url)).status,
    checks: await Promise.all(
      ['/healthz', '/readyz', '/readyz/serve'].map(async (path) => (await fetch(site.url + path)).status),
    ),
  })
  const others = { page: 200, checks: [200, 200, 200] }
  await expect.poll(statuses, { timeout: 30_000 }).toEqual({ call: 200, ...others })
  const lag = setInterval(() => holdEventLoop(400), 1)
  await expect.poll(statuses, { timeout: 30_000, interval: 1 }).toEqual({ call: 503, ...others })
  const refused = await call()
  expect(refused.headers.get('retry-after')).toBe('5')
  clearInterval(lag)
  await expect.poll(statuses, { timeout: 30_000 }).toEqual({ call: 200, ...others })
  // Each is in the log once, alone or counted, and none as an error.
  await site.app.close()
  const lines = log.filter((line) => line.shed === true)
  expect(lines.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(shed)
  expect(log.filter((line) => line.msg === 'request failed')).toEqual([])
})

test('accepts the first calls of a process that took long to start', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  registerLoadShedding(app)
  app.get('/', async () => 'ok')
  holdEventLoop(1_500)
  // The sample that measured it has been taken.
  await sleep(50)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  expect((await fetch(url)).status).toBe(200)
})

test('accepts calls after a single pause of more than a second', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  registerLoadShedding(app)
  app.get('/', async () => 'ok')
  app.addHook('onListen', async () => holdEventLoop(1_500))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  // The sample that measured it has been taken.
  await sleep(50)
  expect((await fetch(url)).status).toBe(200)
})

function holdEventLoop(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}
