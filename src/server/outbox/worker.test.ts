import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeDatabase } from '#tests/support/engines.ts'
import { createLogger } from '../http/logging/logger.ts'
import type { Channel } from './channel.ts'
import { OutboxWorker } from './worker.ts'

test('looks at one channel after the other, so that an idle process needs one connection', async () => {
  const { db, close } = await makeDatabase('sqlite')
  const looked: number[] = []
  let looking = 0
  let most = 0
  const channels = Array.from(
    { length: 5 },
    (_, index): Channel => ({
      async list() {
        most = Math.max(most, ++looking)
        await nextTurn()
        looking--
        looked.push(index)
        return []
      },
    }),
  )
  const worker = new OutboxWorker({ db, channels, log: createLogger('silent') })
  worker.start()
  await expect.poll(() => looked.length).toBeGreaterThanOrEqual(5)
  await worker.stop()
  await close()
  expect(most).toBe(1)
  expect(looked.slice(0, 5)).toEqual([0, 1, 2, 3, 4])
})
