import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { MAX_EVENT_LOOP_DELAY_MS } from './load-shedding.ts'

let site: TestApp
beforeAll(async () => {
  site = await startTestApp({ listen: true, maxEventLoopDelayMs: MAX_EVENT_LOOP_DELAY_MS })
})
afterAll(() => site.close())

test('while the event loop lags, calls are turned away, and the page and the life sign go on', async () => {
  const statuses = async () => ({
    call: (await fetch(`${site.url}/readyz`)).status,
    page: (await fetch(site.url)).status,
    life: (await fetch(`${site.url}/healthz`)).status,
  })
  await expect.poll(statuses, { timeout: 15_000 }).toEqual({ call: 200, page: 200, life: 200 })
  const lag = setInterval(() => holdEventLoop(400), 1)
  await expect.poll(statuses, { timeout: 15_000, interval: 1 }).toEqual({ call: 503, page: 200, life: 200 })
  const refused = await fetch(`${site.url}/readyz`)
  expect(refused.headers.get('retry-after')).toBe('5')
  clearInterval(lag)
  await expect.poll(statuses, { timeout: 5000 }).toEqual({ call: 200, page: 200, life: 200 })
}, 30_000)

function holdEventLoop(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}
