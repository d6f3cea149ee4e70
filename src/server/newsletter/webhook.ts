import { createHmac } from 'node:crypto'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#contract/durations.ts'
import type { Db } from '../db/database.ts'
import { inBatches } from '../db/sweep.ts'
import type { Logger } from '../http/logging/logger.ts'
import { type Answer, type OutgoingClient, readRetryAfter } from '../http/outgoing.ts'
import { type BackOff, type Channel, JITTER, type Outcome, settled, untouched } from '../outbox/channel.ts'
import type { Claim } from '../outbox/queue.ts'
import { singleLaneChannel } from '../outbox/single-lane.ts'

/** Few at a time: ten thousand waiting ones must slow neither the page nor the webhook. */
const CONCURRENCY = 10

const TIMEOUT_MS = 10_000

/** How often subscriptions without a job are looked for. */
const ADOPT_MS = MINUTE_MS

interface NewsletterChannelDeps {
  webhook: { readonly webhookUrl: string | null; readonly webhookSecret: string | null }
  client: OutgoingClient
  log: Pick<Logger, 'info' | 'warn'>
  /** Called with the result of each attempt. */
  onSettled?: (state: Outcome['state']) => void
  timeoutMs?: number
}

/**
 * Posts each subscription to the webhook until it is accepted. Without a webhook nothing is sent, and everything is
 * kept.
 */
export function newsletterChannel(deps: NewsletterChannelDeps): Channel {
  const { webhookUrl: url, webhookSecret: secret } = deps.webhook
  if (url === null) return { list: async () => [] }
  const logOnce = logChanges(deps.log)
  const webhook = { url, secret, timeoutMs: deps.timeoutMs ?? TIMEOUT_MS }
  let adoptedAt = Number.NEGATIVE_INFINITY
  return singleLaneChannel<SubscriptionJob>({
    kind: 'newsletter',
    limit: CONCURRENCY,
    rounds: 1,
    backOff: newsletterBackOff(),
    attempt: (claims, { db, signal }) =>
      attemptSubscriptions({ db, client: deps.client, webhook, signal }, claims),
    record: recordAttempts,
    onSettled: (outcomes) => {
      for (const { state, isUntouched } of outcomes) if (!isUntouched) deps.onSettled?.(state)
      logOnce(outcomes)
    },
    beforeLook: async (db, now) => {
      if (performance.now() - adoptedAt <= ADOPT_MS) return
      await adoptSubscriptions(db, now)
      adoptedAt = performance.now()
    },
  })
}

/** Logs when deliveries begin to fail and when they work again: a line per attempt would fill the log for a week. */
function logChanges(
  log: NewsletterChannelDeps['log'],
): (outcomes: readonly Outcome<SubscriptionJob>[]) => void {
  let failing = false
  return (outcomes) => {
    const failure = outcomes.find(({ state, isUntouched }) => state !== 'accepted' && !isUntouched)
    const delivered = outcomes.some(({ state }) => state === 'accepted')
    if (failure !== undefined && !delivered && !failing) {
      failing = true
      log.warn({ reason: failure.answer }, 'newsletter: webhook is failing')
    } else if (delivered && failing) {
      failing = false
      log.info('newsletter: webhook works again')
    }
  }
}

/** Stores the state in the subscription, which outlives its job. */
export async function recordAttempts(
  trx: Db,
  outcomes: readonly Outcome<SubscriptionJob>[],
  isOurs: (outcome: Outcome<SubscriptionJob>) => boolean,
  now: number,
): Promise<void> {
  const accepted = outcomes.filter(({ state }) => state === 'accepted').map(({ job }) => job)
  // A delivery counts in any case; after a failure, a process that took the job over decides.
  for (const [attempts, jobs] of Map.groupBy(accepted, (job) => job.attempts))
    await trx
      .updateTable('newsletter_subscriptions')
      .set({
        status: 'delivered',
        attempts,
        delivered_at: new Date(now).toISOString(),
        leased_until: null,
        last_error: null,
      })
      .where(
        'id',
        'in',
        jobs.map(({ id }) => id),
      )
      .where('status', '!=', 'delivered')
      .execute()
  for (const outcome of outcomes) {
    const { job, state, answer, isUntouched } = outcome
    if ((state !== 'waiting' && state !== 'refused') || isUntouched || !isOurs(outcome)) continue
    await trx
      .updateTable('newsletter_subscriptions')
      .set({
        status: state === 'waiting' ? 'pending' : 'failed',
        attempts: job.attempts,
        last_error: answer,
      })
      .where('id', '=', job.id)
      .where('status', '!=', 'delivered')
      .execute()
  }
}

/** A claimed subscription. */
export interface SubscriptionJob {
  id: string
  attempts: number
}

interface AttemptDeps {
  db: Db
  client: OutgoingClient
  webhook: Webhook
  signal: AbortSignal
}

/** The address is read when sending: an erased person is not sent. */
async function attemptSubscriptions(
  { db, client, webhook, signal }: AttemptDeps,
  claims: readonly Claim[],
): Promise<Outcome<SubscriptionJob>[]> {
  const people = await db
    .selectFrom('newsletter_subscriptions')
    .select(['id', 'email', 'delivery_key', 'status'])
    .where(
      'id',
      'in',
      claims.map(({ id }) => id),
    )
    .execute()
  const found = new Map(people.map((person) => [person.id, person]))
  return Promise.all(
    claims.map(async ({ id, attempts }) => {
      const job = { id, attempts }
      const person = found.get(id)
      // Erased, or delivered by an older process that knows no queue.
      if (person === undefined || person.status === 'delivered') return settled(job, 'withheld', '', '')
      const result = await postSubscription(client, webhook, person, signal)
      if (result.kind === 'interrupted') return untouched(job)
      if (result.kind === 'delivered') return settled(job, 'accepted', '', '')
      if (attempts >= LAST_ATTEMPT) return settled(job, 'refused', result.reason, '')
      return {
        job,
        state: 'waiting',
        reason: '',
        answer: result.reason,
        message: '',
        afterMs: result.retryAfterMs,
        isUntouched: false,
      }
    }),
  )
}

interface Webhook {
  url: string
  secret: string | null
  timeoutMs: number
}

type PostResult =
  | { kind: 'delivered' }
  /** `reason` is a status or an error code, never the other side's text or an address. */
  | { kind: 'failed'; reason: string; retryAfterMs: number | null }
  /** The server is shutting down: it says nothing about the webhook. */
  | { kind: 'interrupted' }

/** One attempt. Any 2xx is a delivery; redirects are not followed, because the operator chooses the address. */
async function postSubscription(
  client: OutgoingClient,
  webhook: Webhook,
  subscription: { email: string; delivery_key: string },
  stopping: AbortSignal,
): Promise<PostResult> {
  const body = JSON.stringify({ email: subscription.email })
  const { url, authorization } = splitCredentials(webhook.url)
  const answer = await client.post(
    url,
    {
      'idempotency-key': subscription.delivery_key,
      ...(webhook.secret === null ? {} : { 'x-portico-signature': sign(body, webhook.secret) }),
      ...(authorization === null ? {} : { authorization }),
    },
    body,
    stopping,
    { anyAddress: true, timeoutMs: webhook.timeoutMs, statusOnly: true },
  )
  return read(answer)
}

function read(answer: Answer): PostResult {
  if (answer.kind === 'interrupted') return { kind: 'interrupted' }
  if (answer.kind === 'failed') return { kind: 'failed', reason: describe(answer.code), retryAfterMs: null }
  if (answer.status >= 200 && answer.status < 300) return { kind: 'delivered' }
  return {
    kind: 'failed',
    reason: `HTTP ${answer.status}`,
    retryAfterMs: readRetryAfter(answer.headers['retry-after']),
  }
}

function sign(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** Credentials in the address become a header, because addresses end up in logs. */
function splitCredentials(address: string): { url: string; authorization: string | null } {
  const url = new URL(address)
  if (url.username === '' && url.password === '') return { url: address, authorization: null }
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  return { url: url.href, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** Names that the list of subscriptions has always used. */
function describe(code: string): string {
  if (code === 'ETIMEDOUT' || code.endsWith('_TIMEOUT')) return 'timeout'
  return code === 'ENETWORK' || code.startsWith('HPE_') ? 'network error' : code
}

const PATIENCE_MS = 7 * 24 * HOUR_MS

/** Doubling from one second to one hour, with jitter. */
export function newsletterBackOff(random: () => number = Math.random): BackOff {
  return {
    longestMs: HOUR_MS,
    after: (attempts, askedMs) =>
      Math.min(
        HOUR_MS,
        Math.max(Math.round(shortestDelayAfter(attempts) * (1 + JITTER * random())), askedMs ?? 0),
      ),
  }
}

function shortestDelayAfter(attempts: number): number {
  return Math.min(HOUR_MS / (1 + JITTER), SECOND_MS * 2 ** (attempts - 1))
}

/**
 * The attempt after which the delays add up to seven days. Attempts are counted instead of days: a clock that jumps, or
 * a server that was off for a week, must not fail everybody.
 */
export const LAST_ATTEMPT = countAttemptsWithin(PATIENCE_MS)

function countAttemptsWithin(patience: number): number {
  let attempts = 1
  for (let waited = 0; waited < patience; attempts++)
    waited += shortestDelayAfter(attempts) * (1 + JITTER / 2)
  return attempts
}

/**
 * Queues waiting subscriptions without a job: backups and exports contain no queue, and an older process stores
 * subscriptions alone. Those that such a process holds are left to it.
 */
export async function adoptSubscriptions(db: Db, now: number): Promise<number> {
  const at = new Date(now).toISOString()
  return inBatches(async (rows) => {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('deliveries')
      .columns(['id', 'kind', 'subscription_id', 'payload', 'attempts', 'next_attempt_at', 'created_at'])
      .expression((eb) =>
        eb
          .selectFrom('newsletter_subscriptions as waiting')
          .select((of) => [
            'waiting.id',
            of.val('newsletter').as('kind'),
            'waiting.id as subscription_id',
            of.val('{}').as('payload'),
            'waiting.attempts',
            'waiting.next_attempt_at',
            'waiting.created_at',
          ])
          .where('waiting.status', '=', 'pending')
          .where((of) =>
            of.or([of('waiting.leased_until', 'is', null), of('waiting.leased_until', '<=', at)]),
          )
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('deliveries as queued')
                  .select('queued.id')
                  .whereRef('queued.subscription_id', '=', 'waiting.id'),
              ),
            ),
          )
          .limit(rows),
      )
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows ?? 0n
  })
}
