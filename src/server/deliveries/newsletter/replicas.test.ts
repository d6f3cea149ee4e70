import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { storeSubscription } from '#server/newsletter/subscribe.ts'
import { claimDue } from '#server/outbox/queue.ts'
import { makeDatabase } from '#tests/support/engines.ts'
import { makeNewsletterWorker } from '#tests/support/newsletter-worker.ts'
import { accept, startWebhook } from '#tests/support/webhook.ts'

test('several replicas share the queue on PostgreSQL and do no work twice', async () => {
  const database = await makeDatabase('postgres')
  const webhook = await startWebhook()
  webhook.behave((response, call, seen) => void setTimeout(() => accept(response, call, seen), 2))
  const at = new Date().toISOString()
  await database.db
    .insertInto('newsletter_subscriptions')
    .values(
      Array.from({ length: 600 }, (_, index) => ({
        id: randomUUID(),
        email: `pessoa${index}@exemplo.com.br`,
        status: 'pending' as const,
        delivery_key: randomUUID(),
        next_attempt_at: at,
        created_at: at,
      })),
    )
    .execute()
  const workers = ['a', 'b', 'c', 'd'].map((name) =>
    makeNewsletterWorker({
      db: database.db,
      webhook: { webhookUrl: `${webhook.url}?replica=${name}`, webhookSecret: null },
    }),
  )
  for (const worker of workers) worker.start()
  await webhook.arrived(600)
  await Promise.all(workers.map((worker) => worker.stop()))
  expect(webhook.calls).toHaveLength(600)
  expect(new Set(webhook.calls.map((call) => call.key)).size).toBe(600)
  expect(new Set(webhook.calls.map((call) => call.path)).size).toBe(4)
  const left = await database.db
    .selectFrom('newsletter_subscriptions')
    .select('id')
    .where('status', '!=', 'delivered')
    .execute()
  expect(left).toEqual([])
  await webhook.close()
  await database.close()
})

test('a replica whose clock is half a minute behind leaves a fresh claim alone', async () => {
  const database = await makeDatabase('postgres')
  const now = Date.now()
  await storeSubscription(database.db, 'ana@exemplo.com.br', now - 60_000)
  const options = {
    scope: { kind: 'newsletter' as const },
    limit: 10,
    leaseMs: 30_000,
    longestDelayMs: 3_600_000,
    atMostOnce: false,
  }
  expect(await claimDue(database.db, { ...options, now })).toHaveLength(1)
  expect(await claimDue(database.db, { ...options, now: now - 30_000 })).toEqual([])
  await database.close()
})
