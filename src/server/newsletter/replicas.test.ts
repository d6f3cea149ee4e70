import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { storeSubscription } from '#server/newsletter/subscribe.ts'
import { recordAttempts, type SubscriptionJob } from '#server/newsletter/webhook.ts'
import { backOffBy, type ChannelWork } from '#server/outbox/channel.ts'
import { claimDue, settleOutcomes } from '#server/outbox/queue.ts'
import { makeDatabase } from '#tests/support/engines.ts'
import { makeNewsletterWorker } from '#tests/support/newsletter-worker.ts'
import { accept, refuse, startWebhook } from '#tests/support/webhook.ts'

test('several processes share the queue on PostgreSQL without duplicates', async () => {
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

test('eight processes ask a failing webhook once per rest, and then deliver everything once', async () => {
  const database = await makeDatabase('postgres')
  const webhook = await startWebhook()
  const { db } = database
  /** Moves by hand, so that no rest ends by itself. */
  let clock = Date.now()
  for (let person = 0; person < 100; person++)
    await storeSubscription(db, `pessoa${person}@exemplo.com.br`, clock)
  webhook.behave(refuse)
  const workers = Array.from({ length: 8 }, () =>
    makeNewsletterWorker({
      db,
      webhook: { webhookUrl: webhook.url, webhookSecret: null },
      now: () => clock,
      timing: { pollMs: 25 },
    }),
  )
  onTestFinished(async () => {
    await Promise.all(workers.map((worker) => worker.stop()))
    await webhook.close()
    await database.close()
  })
  const readRest = () => db.selectFrom('lane_rests').select(['failures', 'until']).executeTakeFirst()
  const countLeased = async () =>
    (await db.selectFrom('deliveries').select('id').where('leased_until', 'is not', null).execute()).length
  for (const worker of workers) worker.start()
  await expect.poll(readRest, { timeout: 30_000 }).toMatchObject({ failures: 1 })
  await expect.poll(countLeased, { timeout: 30_000 }).toBe(0)
  const rests: number[] = []
  for (let failures = 2; failures <= 6; failures++) {
    const asked = webhook.calls.length
    clock = Date.parse((await readRest())?.until ?? '')
    await expect.poll(readRest, { timeout: 30_000 }).toMatchObject({ failures })
    await expect.poll(countLeased, { timeout: 30_000 }).toBe(0)
    expect(webhook.calls).toHaveLength(asked + 1)
    rests.push(Date.parse((await readRest())?.until ?? '') - clock)
  }
  expect(rests).toEqual(rests.toSorted((a, b) => a - b))
  expect(rests.at(-1)).toBeGreaterThan(20_000)
  const failed = webhook.calls.length
  webhook.behave(accept)
  clock += 3_600_000
  await webhook.arrived(failed + 100)
  await expect.poll(() => db.selectFrom('deliveries').select('id').execute(), { timeout: 30_000 }).toEqual([])
  expect(new Set(webhook.calls.slice(failed).map(({ key }) => key)).size).toBe(100)
  expect(webhook.calls).toHaveLength(failed + 100)
  expect(await readRest()).toBeUndefined()
})

test('a process whose clock is half a minute behind leaves a fresh claim alone', async () => {
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

test('does not record a failure of a process that lost its lease', async () => {
  const database = await makeDatabase('postgres')
  const now = Date.now()
  await storeSubscription(database.db, 'ana@exemplo.com.br', now)
  const options = {
    scope: { kind: 'newsletter' as const },
    limit: 10,
    leaseMs: 30_000,
    longestDelayMs: 3_600_000,
    atMostOnce: false,
  }
  const claims = await claimDue(database.db, { ...options, now })
  expect(await claimDue(database.db, { ...options, now: now + 31_000 })).toHaveLength(1)
  const outcomes = claims.map(({ id, attempts }) => ({
    job: { id, attempts },
    state: 'waiting' as const,
    reason: '',
    answer: 'HTTP 500',
    message: '',
    afterMs: null,
    isUntouched: false,
  }))
  const work = {
    scope: options.scope,
    backOff: backOffBy([1_000]),
    record: (...[trx, some, isOurs]: Parameters<NonNullable<ChannelWork<SubscriptionJob>['record']>>) =>
      recordAttempts(trx, some, isOurs, now),
  }
  await settleOutcomes(database.db, work, { claims, outcomes }, now + 32_000)
  const rows = await database.db
    .selectFrom('newsletter_subscriptions')
    .select(['status', 'attempts', 'last_error'])
    .execute()
  expect(rows).toEqual([{ status: 'pending', attempts: 0, last_error: null }])
  await database.close()
})
