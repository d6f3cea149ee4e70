import { expect, test } from 'vitest'
import { STRENGTH_QUEUE } from '#server/http/limits/limits.ts'
import { StrengthThread } from './strength-thread.ts'

/** Texts that take the estimator longest: everything may be leet speak. */
const SLOW = ['l1l1l1l1l1l1l1l1l1l1l1l1', '@$5@$5@$5@$5@$5@$5@$5@$5', 'k7m2-9xqr-tabc-defg-h234']

test('starts the thread on demand and ends it when idle', async () => {
  const thread = new StrengthThread({ idleMs: 50 })
  expect(thread.isAwake).toBe(false)
  expect(await thread.estimate('chocolate1', [])).toMatchObject({ hasWord: true })
  expect(thread.isAwake).toBe(true)
  await expect.poll(() => thread.isAwake, { timeout: 30_000 }).toBe(false)
  expect((await thread.estimate('xK9#mPq2', [])).guesses).toBeGreaterThan(1e7)
})

test('loads and estimates while the event loop turns', async () => {
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

test('rejects with 429 when the queue is full', async () => {
  const thread = new StrengthThread()
  const waiting = Array.from({ length: STRENGTH_QUEUE.all }, () => thread.estimate('chocolate1', []))
  await expect(thread.estimate('chocolate1', [])).rejects.toMatchObject({ status: 429 })
  expect(await Promise.all(waiting)).toHaveLength(STRENGTH_QUEUE.all)
})

test('one network fills only its own places, and administrators have reserved ones', async () => {
  const thread = new StrengthThread({ idleMs: 1 })
  const ask = (network?: string) =>
    thread.estimate('varanda-azulejo-27', [], network).then(
      () => 200,
      (error) => error.status,
    )
  const flood = Array.from({ length: 40 }, () => ask('203.0.113.1'))
  const other = ask('203.0.113.2')
  expect(await other).toBe(200)
  expect((await Promise.all(flood)).filter((status) => status === 200)).toHaveLength(STRENGTH_QUEUE.network)
  const floods = Array.from({ length: 100 }, (_, n) => ask(`198.51.100.${n % 8}`))
  const administrator = ask()
  expect(await administrator).toBe(200)
  expect((await Promise.all(floods)).filter((status) => status === 200)).toHaveLength(
    STRENGTH_QUEUE.strangers,
  )
})
