import Fastify from 'fastify'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sweepRegularly } from './sweep-regularly.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('sweeps again and again, through failures, and no more once the app is closed', async () => {
  const app = Fastify()
  const sweep = vi.fn(async () => {
    throw new Error('busy')
  })
  sweepRegularly(app, 'things', sweep)
  await vi.advanceTimersByTimeAsync(45 * 60_000)
  expect(sweep).toHaveBeenCalledTimes(4)
  await app.close()
  await vi.advanceTimersByTimeAsync(60 * 60_000)
  expect(sweep).toHaveBeenCalledTimes(4)
})

test('sweeps in a process that lives for less than the interval', async () => {
  const app = Fastify()
  const sweep = vi.fn(async () => {})
  sweepRegularly(app, 'things', sweep)
  await vi.advanceTimersByTimeAsync(2 * 60_000)
  await app.close()
  expect(sweep).toHaveBeenCalledTimes(1)
})
