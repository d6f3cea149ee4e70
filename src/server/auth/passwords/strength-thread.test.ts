import { expect, test } from 'vitest'
import { StrengthThread } from './strength-thread.ts'

/** Texts that take the estimator longest: all of it may be letters written as signs. */
const SLOW = ['l1l1l1l1l1l1l1l1l1l1l1l1', '@$5@$5@$5@$5@$5@$5@$5@$5', 'k7m2-9xqr-tabc-defg-h234']

test('the thread is there while it is needed, and gone when idle', async () => {
  const thread = new StrengthThread({ idleMs: 50 })
  expect(thread.isAwake).toBe(false)
  expect(await thread.estimate('chocolate1', [])).toMatchObject({ hasWord: true })
  expect(thread.isAwake).toBe(true)
  await expect.poll(() => thread.isAwake, { timeout: 30_000 }).toBe(false)
  expect((await thread.estimate('xK9#mPq2', [])).guesses).toBeGreaterThan(1e7)
})

test('loading and judging take the event loop no time: it turns meanwhile', async () => {
  const thread = new StrengthThread()
  let turns = 0
  let done = false
  const turn = () => {
    turns++
    if (!done) setImmediate(turn)
  }
  turn()
  await Promise.all(SLOW.map((password) => thread.estimate(password, [])))
  done = true
  expect(turns).toBeGreaterThan(1_000)
})

test('the sixty-fifth who waits is told to come back', async () => {
  const thread = new StrengthThread()
  const waiting = Array.from({ length: 64 }, () => thread.estimate('chocolate1', []))
  await expect(thread.estimate('chocolate1', [])).rejects.toMatchObject({ status: 429 })
  expect(await Promise.all(waiting)).toHaveLength(64)
})
