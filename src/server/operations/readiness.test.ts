import { expect, test, vi } from 'vitest'
import { Readiness } from './health.ts'

test('one proof serves whoever asks meanwhile and shortly after', async () => {
  const prove = vi.fn(async () => {})
  const readiness = new Readiness({ prove, freshMs: 60_000 })
  await Promise.all([readiness.check(), readiness.check()])
  await readiness.check()
  expect(prove).toHaveBeenCalledTimes(1)
})

test('a failure is told to all who asked, and tried again by the next', async () => {
  const prove = vi.fn(async () => {})
  prove.mockRejectedValueOnce(new Error('full'))
  const readiness = new Readiness({ prove, freshMs: 60_000 })
  const both = await Promise.allSettled([readiness.check(), readiness.check()])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await readiness.check()
  expect(prove).toHaveBeenCalledTimes(2)
})

test('a proof that hangs is a no at the deadline, and is joined by the next who asks', async () => {
  const hanging = Promise.withResolvers<void>()
  const prove = vi.fn(() => hanging.promise)
  const readiness = new Readiness({ prove, deadlineMs: 10 })
  await expect(readiness.check()).rejects.toThrow('within 10 ms')
  await expect(readiness.check()).rejects.toThrow('within 10 ms')
  expect(prove).toHaveBeenCalledTimes(1)
  hanging.resolve()
  await readiness.check()
})
