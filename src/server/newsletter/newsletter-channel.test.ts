import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { HOUR_MS } from '#contract/durations.ts'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { freePort } from '#tests/support/free-port.ts'
import { makeNewsletterWorker, type NewsletterWorkerOptions } from '#tests/support/newsletter-worker.ts'
import { accept, refuse, startWebhook, type TestWebhook } from '#tests/support/webhook.ts'
import type { Database } from '../db/database.ts'
import type { OutboxWorker } from '../outbox/worker.ts'
import { storeSubscription } from './subscribe.ts'
import { LAST_ATTEMPT } from './webhook.ts'

const ANA = 'ana@exemplo.com.br'

describe.each(TIER_ENGINES)('the newsletter in the queue on %s', (engine) => {
  let database: Database
  let webhook: TestWebhook
  /** The worker's clock stands still: a busy machine may look at a row long after the next attempt is due. */
  const start = Date.now()
  let shift = 0
  const now = () => start + shift

  beforeEach(async () => {
    shift = 0
    database = await makeDatabase(engine)
    webhook = await startWebhook()
  })
  afterEach(async () => {
    await webhook.close()
    await database.close()
  })

  function startWorker(options: Partial<NewsletterWorkerOptions> = {}): OutboxWorker {
    const worker = makeNewsletterWorker({
      db: database.db,
      webhook: { webhookUrl: webhook.url, webhookSecret: null },
      now,
      ...options,
      timing: { pollMs: 25, graceMs: 100, ...options.timing },
    })
    worker.start()
    onTestFinished(() => worker.stop())
    return worker
  }
  const store = (email: string) => storeSubscription(database.db, email, now())
  const row = (email = ANA) =>
    database.db
      .selectFrom('newsletter_subscriptions as person')
      .leftJoin('deliveries as queued', 'queued.subscription_id', 'person.id')
      .select(['person.id', 'status', 'delivery_key', 'person.attempts', 'last_error'])
      .select(['queued.next_attempt_at', 'queued.leased_until', 'queued.attempts as begun'])
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
  /** As a process that claims it and is killed. */
  const holdBySomebodyElse = () => {
    const until = new Date(now() + 20_000).toISOString()
    return database.db
      .updateTable('deliveries')
      .set({ leased_until: until, next_attempt_at: until, attempts: 1 })
      .execute()
  }
  const untilStatus = (status: string, email = ANA) =>
    expect.poll(async () => (await row(email)).status, { interval: 50, timeout: 30_000 }).toBe(status)
  const untilAttempts = (attempts: number) =>
    expect.poll(async () => (await row()).attempts, { interval: 50, timeout: 30_000 }).toBe(attempts)

  test('posts the address as JSON with its key and a signature of the body', async () => {
    await store(ANA)
    startWorker({ webhook: { webhookUrl: webhook.url, webhookSecret: 'segredo' } })
    await untilStatus('delivered')
    const [call, ...more] = webhook.calls
    expect(more).toEqual([])
    expect(call?.body).toBe(`{"email":"${ANA}"}`)
    expect(call?.headers['content-type']).toBe('application/json')
    expect(call?.key).toBe((await row()).delivery_key)
    expect(call?.headers['x-portico-signature']).toBe(
      `sha256=${createHmac('sha256', 'segredo').update(`{"email":"${ANA}"}`).digest('hex')}`,
    )
    expect(await row()).toMatchObject({ attempts: 1, leased_until: null, last_error: null })
  })

  test('sends no signature without a secret, and turns credentials in the address into a header', async () => {
    await store(ANA)
    const address = new URL(webhook.url)
    address.username = 'jo%C3%A3o'
    address.password = 'p%40ss'
    startWorker({ webhook: { webhookUrl: address.href, webhookSecret: null } })
    await untilStatus('delivered')
    expect(webhook.calls[0]?.headers['x-portico-signature']).toBeUndefined()
    expect(webhook.calls[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('joão:p@ss').toString('base64')}`,
    )
  })

  test('delivers a new subscription at once, not at the next poll', async () => {
    await store('bia@exemplo.com.br')
    const worker = startWorker({ timing: { pollMs: 60_000 } })
    await untilStatus('delivered', 'bia@exemplo.com.br')
    await store(ANA)
    worker.wake()
    await untilStatus('delivered')
  })

  test('keeps everything without a webhook, and delivers once there is one', async () => {
    await store(ANA)
    const resting = startWorker({ webhook: { webhookUrl: null, webhookSecret: null } })
    resting.wake()
    await resting.stop()
    shift = 30 * 24 * HOUR_MS
    expect(await row()).toMatchObject({ status: 'pending', attempts: 0 })
    webhook.behave((response, call, seen) => (seen === 1 ? refuse : accept)(response, call, seen))
    startWorker()
    await untilAttempts(1)
    shift += 2_000
    await untilStatus('delivered')
    expect(webhook.calls).toHaveLength(2)
  })

  test.each<[string, Parameters<TestWebhook['behave']>[0], string]>([
    ['answers 500', refuse, 'HTTP 500'],
    ['answers 404', (response) => void response.writeHead(404).end(), 'HTTP 404'],
    ['redirects', (response) => void response.writeHead(302, { location: '/outro' }).end(), 'HTTP 302'],
    ['resets the connection', (response) => void response.socket?.resetAndDestroy(), 'ECONNRESET'],
    ['closes without an answer', (response) => void response.socket?.end(), 'UND_ERR_SOCKET'],
    ['never answers', () => {}, 'timeout'],
    ['speaks no HTTP', (response) => void response.socket?.end('hello\r\n\r\n'), 'network error'],
  ])('retries a webhook that %s with the same key', async (_what, behaviour, reason) => {
    webhook.behave((response, call, seen) => (seen === 1 ? behaviour : accept)(response, call, seen))
    await store(ANA)
    const begun = now()
    startWorker(reason === 'timeout' ? { timing: { timeoutMs: 500 } } : {})
    await untilAttempts(1)
    const failed = await row()
    expect(failed).toMatchObject({ status: 'pending', last_error: reason, leased_until: null })
    const next = Date.parse(failed.next_attempt_at ?? '')
    expect(next).toBeGreaterThan(begun)
    expect(next).toBeLessThanOrEqual(now() + 1_250)
    shift = 2_000
    await untilStatus('delivered')
    expect(webhook.calls.length).toBeGreaterThan(1)
    expect(new Set(webhook.calls.map((call) => call.key))).toEqual(new Set([failed.delivery_key]))
  })

  test('retries when a webhook that was down is back', async () => {
    const port = await freePort()
    await store(ANA)
    startWorker({ webhook: { webhookUrl: `http://127.0.0.1:${port}/hook`, webhookSecret: null } })
    await untilAttempts(1)
    expect((await row()).last_error).toBe('ECONNREFUSED')
    const back = await startWebhook(port)
    onTestFinished(() => back.close())
    shift = 2_000
    await untilStatus('delivered')
    expect(back.calls).toHaveLength(1)
  })

  test('counts a success although its body never ends', async () => {
    webhook.behave((response) => {
      response.writeHead(200)
      response.write('x'.repeat(10_000))
    })
    await store(ANA)
    startWorker({ timing: { timeoutMs: 1_500 } })
    await untilStatus('delivered')
    expect((await row()).attempts).toBe(1)
  })

  test('honours Retry-After up to an hour', async () => {
    webhook.behave((response) => void response.writeHead(429, { 'retry-after': '999999' }).end())
    await store(ANA)
    startWorker()
    await untilAttempts(1)
    const delay = Date.parse((await row()).next_attempt_at ?? '') - now()
    expect(delay).toBeGreaterThan(HOUR_MS - 5_000)
    expect(delay).toBeLessThanOrEqual(HOUR_MS)
  })

  test('keeps a subscription as failed after the last attempt', async () => {
    webhook.behave(refuse)
    await store(ANA)
    await database.db
      .updateTable('deliveries')
      .set({ attempts: LAST_ATTEMPT - 1 })
      .execute()
    const worker = startWorker()
    await untilStatus('failed')
    shift = 48 * HOUR_MS
    worker.wake()
    await store('bia@exemplo.com.br')
    await webhook.arrived(2)
    expect(webhook.calls.map((call) => call.email)).toEqual([ANA, 'bia@exemplo.com.br'])
    expect(await row()).toMatchObject({ status: 'failed', attempts: LAST_ATTEMPT, last_error: 'HTTP 500' })
  })

  test('a clock that jumps a year ahead causes one early attempt and gives nothing up', async () => {
    webhook.behave(refuse)
    await store(ANA)
    startWorker()
    await untilAttempts(1)
    shift = 365 * 24 * HOUR_MS
    await untilAttempts(2)
    expect(webhook.calls).toHaveLength(2)
    const { status, next_attempt_at } = await row()
    expect(status).toBe('pending')
    expect(Date.parse(next_attempt_at ?? '')).toBeGreaterThan(now())
  })

  test('a clock that is set back a year delays nothing', async () => {
    shift = 365 * 24 * HOUR_MS
    webhook.behave((response, call, seen) => (seen === 1 ? refuse : accept)(response, call, seen))
    await store(ANA)
    startWorker()
    await untilAttempts(1)
    shift = 0
    await untilStatus('delivered')
    expect(webhook.calls).toHaveLength(2)
  })

  test('lets a quick attempt finish when stopping', async () => {
    webhook.behave((response, call, seen) => void setTimeout(() => accept(response, call, seen), 40))
    await store(ANA)
    const worker = startWorker({ timing: { graceMs: 30_000 } })
    await webhook.arrived(1)
    await worker.stop()
    expect(await row()).toMatchObject({ status: 'delivered', leased_until: null })
  })

  test('cuts a slow attempt off when stopping and returns the job unchanged', async () => {
    webhook.behave(() => {})
    await store(ANA)
    const worker = startWorker()
    await webhook.arrived(1)
    await worker.stop()
    expect(await row()).toMatchObject({
      status: 'pending',
      attempts: 0,
      begun: 0,
      leased_until: null,
      last_error: null,
    })
    webhook.behave(accept)
    startWorker()
    await untilStatus('delivered')
    expect(new Set(webhook.calls.map((call) => call.key)).size).toBe(1)
  })

  test('delivers jobs of a killed process when the lease ends, or at once if it was the only one', async () => {
    await store(ANA)
    await holdBySomebodyElse()
    startWorker()
    if (engine === 'postgres') {
      await store('bia@exemplo.com.br')
      await untilStatus('delivered', 'bia@exemplo.com.br')
      expect(webhook.calls.map((call) => call.email)).toEqual(['bia@exemplo.com.br'])
      shift = 21_000
    }
    await untilStatus('delivered')
    expect(webhook.calls.filter((call) => call.email === ANA)).toHaveLength(1)
  })

  test('does not send what an older process delivered', async () => {
    await store(ANA)
    await database.db.updateTable('newsletter_subscriptions').set({ status: 'delivered' }).execute()
    startWorker()
    await expect
      .poll(() => database.db.selectFrom('deliveries').selectAll().execute(), { timeout: 30_000 })
      .toEqual([])
    expect(webhook.calls).toEqual([])
  })

  test('does not bring back a person who is erased during an attempt', async () => {
    webhook.behave((response, call, seen) => {
      void database.db
        .deleteFrom('newsletter_subscriptions')
        .execute()
        .then(() => refuse(response, call, seen))
    })
    await store(ANA)
    const worker = startWorker()
    await webhook.arrived(1)
    await worker.stop()
    const rows = await database.db.selectFrom('newsletter_subscriptions').selectAll().execute()
    expect(rows).toEqual([])
  })

  test('keeps working when the database fails for a while', async () => {
    await store(ANA)
    let failures = 2
    const flaky = new Proxy(database.db, {
      get(target, property) {
        if (property === 'with' && failures-- > 0) throw new Error('connection lost')
        const value = Reflect.get(target, property)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    startWorker({ db: flaky })
    await untilStatus('delivered')
    expect(failures).toBeLessThan(0)
  })

  test('logs once that the webhook fails and once that it works again, without addresses', async () => {
    const lines: unknown[] = []
    const note = (...line: unknown[]) => void lines.push(line)
    const log = { info: note, warn: note, error: note } as unknown as NonNullable<
      NewsletterWorkerOptions['log']
    >
    webhook.behave(refuse)
    for (const name of ['ana', 'bia', 'caio']) await store(`${name}@exemplo.com.br`)
    startWorker({ log })
    await webhook.arrived(3)
    await untilAttempts(1)
    webhook.behave(accept)
    shift = 2_000
    await untilStatus('delivered')
    expect(lines).toEqual([
      [{ reason: 'HTTP 500' }, 'newsletter: webhook is failing'],
      ['newsletter: webhook works again'],
    ])
  })
})
