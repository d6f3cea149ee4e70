import { expect, test, vi } from 'vitest'
import { Readiness } from './health.ts'

test('one check serves concurrent and later callers', async () => {
  const prove = vi.fn(async () => {})
  const readiness = new Readiness({ prove, freshMs: 60_000 })
  await Promise.all([readiness.check(), readiness.check()])
  await readiness.check()
  expect(prove).toHaveBeenCalledTimes(1)
})

test('reports a failure to all callers, and the next one tries again', async () => {
  const prove = vi.fn(async () => {})
  prove.mockRejectedValueOnce(new Error('full'))
  const readiness = new Readiness({ prove, freshMs: 60_000 })
  const both = await Promise.allSettled([readiness.check(), readiness.check()])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await readiness.check()
  expect(prove).toHaveBeenCalledTimes(2)
})

test('a hanging check fails at the deadline and is shared with the next caller', async () => {
  const hanging = Promise.withResolvers<void>()
  const prove = vi.fn(() => hanging.promise)
  const readiness = new Readiness({ prove, deadlineMs: 10 })
  await expect(readiness.check()).rejects.toThrow('within 10 ms')
  await expect(readiness.check()).rejects.toThrow('within 10 ms')
  expect(prove).toHaveBeenCalledTimes(1)
  hanging.resolve()
  await readiness.check()
})
