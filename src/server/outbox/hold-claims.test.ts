import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeDatabase } from '#tests/support/engines.ts'
import { makeNewsletterWorker } from '#tests/support/newsletter-worker.ts'
import { accept, startWebhook } from '#tests/support/webhook.ts'
import type { Db } from '../db/database.ts'
import { DatabaseUnavailableError } from '../db/errors.ts'
import { storeSubscription } from '../newsletter/subscribe.ts'
import { holdClaims } from './queue.ts'

test('a round longer than a lease keeps its claims, and another process sends nothing', async () => {
  const database = await makeDatabase('postgres')
  const webhook = await startWebhook()
  const answers: (() => void)[] = []
  webhook.behave((response, call, seen) => void answers.push(() => accept(response, call, seen)))
  const workers = [0, 1].map(() =>
    makeNewsletterWorker({
      db: database.db,
      webhook: { webhookUrl: webhook.url, webhookSecret: null },
      timing: { leaseMs: 2_500, pollMs: 25, timeoutMs: 60_000 },
    }),
  )
  onTestFinished(async () => {
    for (const answer of answers) answer()
    await Promise.all(workers.map((worker) => worker.stop()))
    await webhook.close()
    await database.close()
  })
  await storeSubscription(database.db, 'ana@exemplo.com.br', Date.now())
  const lease = async () =>
    (await database.db.selectFrom('deliveries').select('leased_until').executeTakeFirstOrThrow()).leased_until
  for (const worker of workers) worker.start()
  await webhook.arrived(1)
  const first = Date.parse((await lease()) ?? '')
  // Renewed until it is two leases old: the first one ended long before.
  await expect
    .poll(async () => Date.parse((await lease()) ?? '') - first, { timeout: 30_000 })
    .toBeGreaterThan(5_000)
  expect(webhook.calls).toHaveLength(1)
})

describe('outcomes that cannot be stored', () => {
  const away = new DatabaseUnavailableError(new Error('statement timeout'))
  const hold = (signal = new AbortController().signal) => {
    const held = holdClaims({ db: {} as Db, now: Date.now, leaseMs: 60_000, signal }, [])
    onTestFinished(() => held.letGo())
    return held
  }

  test('are stored again while the database is unavailable', async () => {
    const store = vi.fn<() => Promise<void>>().mockRejectedValueOnce(away).mockRejectedValueOnce(away)
    await hold().settle(store)
    expect(store).toHaveBeenCalledTimes(3)
  })

  test('are given up at once for another failure, and when the process stops', async () => {
    const failure = new Error('a bug')
    await expect(hold().settle(() => Promise.reject(failure))).rejects.toBe(failure)
    const stopping = new AbortController()
    const store = vi.fn(async () => {
      stopping.abort()
      throw away
    })
    await expect(hold(stopping.signal).settle(store)).rejects.toBe(away)
    expect(store).toHaveBeenCalledTimes(1)
  })
})
