import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { Db } from '#server/db/database.ts'
import { ENGINES } from '../support/engines.ts'
import { makeNewsletterWorker } from '../support/newsletter-worker.ts'
import { startCountingWebhook } from '../support/start-counting-webhook.ts'
import { startTestApp } from '../support/test-app.ts'

/** More than the worker takes at once; the page's speed beside ten thousand is measured by the bench. */
const WAITING = 1_500

async function fillQueue(db: Db): Promise<void> {
  const at = new Date().toISOString()
  const rows = Array.from({ length: WAITING }, (_, index) => ({
    id: randomUUID(),
    email: `pessoa${index}@exemplo.com.br`,
    status: 'pending' as const,
    delivery_key: randomUUID(),
    next_attempt_at: at,
    created_at: at,
  }))
  for (let from = 0; from < rows.length; from += 1_000)
    await db
      .insertInto('newsletter_subscriptions')
      .values(rows.slice(from, from + 1_000))
      .execute()
}

async function countWaiting(db: Db): Promise<number> {
  const { waiting } = await db
    .selectFrom('newsletter_subscriptions')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  return waiting
}

test.each(ENGINES)('delivers all waiting on %s once each while the page is served', async (engine) => {
  const webhook = await startCountingWebhook()
  onTestFinished(webhook.stop)
  const site = await startTestApp({ engine, listen: true })
  const { db } = site.database
  await fillQueue(db)
  const worker = makeNewsletterWorker({
    db,
    webhook: { webhookUrl: webhook.url, webhookSecret: 'segredo' },
  })
  onTestFinished(async () => {
    await worker.stop()
    await site.close()
  })

  let visits = 0
  worker.start()
  for (; (await countWaiting(db)) > 0; visits++) expect((await fetch(site.url)).status).toBe(200)
  expect(visits).toBeGreaterThan(1)
  expect(await webhook.count()).toEqual({ calls: WAITING, keys: WAITING })
})
