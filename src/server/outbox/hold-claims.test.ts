import { expect, onTestFinished, test } from 'vitest'
import { makeDatabase } from '#tests/support/engines.ts'
import { makeNewsletterWorker } from '#tests/support/newsletter-worker.ts'
import { accept, startWebhook } from '#tests/support/webhook.ts'
import { storeSubscription } from '../newsletter/subscribe.ts'

test('a round that lasts longer than a lease keeps what it holds, and another replica sends nothing', async () => {
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
  // Renewed until it is two leases old: by then the first one ended long ago.
  await expect
    .poll(async () => Date.parse((await lease()) ?? '') - first, { timeout: 30_000 })
    .toBeGreaterThan(5_000)
  expect(webhook.calls).toHaveLength(1)
})
