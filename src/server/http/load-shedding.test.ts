import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { MAX_EVENT_LOOP_DELAY_MS } from './load-shedding.ts'

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
    maxEventLoopDelayMs: MAX_EVENT_LOOP_DELAY_MS,
    log: pino({ level: 'info' }, { write: (line) => void log.push(JSON.parse(line)) }),
  })
})
afterAll(() => site.close())

test('while the event loop lags, calls are turned away, and the page and the life sign go on', async () => {
  let shed = 0
  const call = async () => {
    const answer = await fetch(`${site.url}/readyz`)
    if (answer.status === 503) shed++
    return answer
  }
  const statuses = async () => ({
    call: (await call()).status,
    page: (await fetch(site.url)).status,
    life: (await fetch(`${site.url}/healthz`)).status,
  })
  await expect.poll(statuses, { timeout: 30_000 }).toEqual({ call: 200, page: 200, life: 200 })
  const lag = setInterval(() => holdEventLoop(400), 1)
  await expect.poll(statuses, { timeout: 30_000, interval: 1 }).toEqual({ call: 503, page: 200, life: 200 })
  const refused = await call()
  expect(refused.headers.get('retry-after')).toBe('5')
  clearInterval(lag)
  await expect.poll(statuses, { timeout: 30_000 }).toEqual({ call: 200, page: 200, life: 200 })
  // Each of them stands in the log once, by itself or counted, and none as an error.
  await site.app.close()
  const lines = log.filter((line) => line.shed === true)
  expect(lines.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(shed)
  expect(log.filter((line) => line.msg === 'request failed')).toEqual([])
})

function holdEventLoop(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}
