import { createHmac } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { inBatches } from '../db/sweep.ts'
import type { Logger } from '../http/logging/logger.ts'
import type { Answer, OutgoingClient } from '../http/outgoing.ts'
import {
  type BackOff,
  HOUR_MS,
  JITTER,
  type LaneSource,
  type Outcome,
  SECOND_MS,
  settled,
  untouched,
} from '../outbox/channel.ts'
import type { Claim } from '../outbox/queue.ts'
import { singleLane } from '../outbox/single-lane.ts'

/** Few at a time: ten thousand that wait must slow neither the page nor the webhook. */
const CONCURRENCY = 10

const TIMEOUT_MS = 10_000

/** How often subscriptions are looked for that only an older process stored. */
const ADOPT_MS = 60_000

interface NewsletterChannelDeps {
  webhook: { readonly webhookUrl: string | null; readonly webhookSecret: string | null }
  client: OutgoingClient
  log: Pick<Logger, 'info' | 'warn'>
  /** Called with what each attempt came to. */
  onSettled?: (state: Outcome['state']) => void
  timeoutMs?: number
}

/** Posts each stored subscription to the webhook until it is taken. Without a webhook nothing is sent, and all is kept. */
export function newsletterChannel(deps: NewsletterChannelDeps): LaneSource {
  const { webhookUrl: url, webhookSecret: secret } = deps.webhook
  if (url === null) return { list: async () => [] }
  const logOnce = logChanges(deps.log)
  const webhook = { url, secret, timeoutMs: deps.timeoutMs ?? TIMEOUT_MS }
  let adoptedAt = Number.NEGATIVE_INFINITY
  return singleLane<SubscriptionJob>({
    kind: 'newsletter',
    limit: CONCURRENCY,
    rounds: 1,
    backOff: newsletterBackOff(),
    // One that the webhook refuses says nothing of the next.
    restsAfterFailure: false,
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
      log.warn({ reason: failure.answer }, 'newsletter: the webhook does not take subscriptions')
    } else if (delivered && failing) {
      failing = false
      log.info('newsletter: the webhook takes subscriptions again')
    }
  }
}

/** What the subscription itself says of its delivery, which outlives its place in the queue. */
export async function recordAttempts(
  trx: Db,
  outcomes: readonly Outcome<SubscriptionJob>[],
  isOurs: (outcome: Outcome<SubscriptionJob>) => boolean,
  now: number,
): Promise<void> {
  const accepted = outcomes.filter(({ state }) => state === 'accepted').map(({ job }) => job)
  // A delivery is one in any case; on a failure, whoever took it over after our lease ended has the last word.
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

/** A subscription that this process has claimed. */
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

/** The address is read from the subscription when it is sent: whoever was erased meanwhile is told to nobody. */
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
      // Erased, or delivered by an older process that knows of no queue.
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
  /** `reason` is a status or an error code: never what the other side wrote, never an address. */
  | { kind: 'failed'; reason: string; retryAfterMs: number | null }
  /** We are shutting down: it says nothing about the webhook. */
  | { kind: 'interrupted' }

/** One attempt. Any 2xx is a delivery; a redirect is not followed, because the address is the operator's to choose. */
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
  const patience = answer.headers['retry-after']
  return {
    kind: 'failed',
    reason: `HTTP ${answer.status}`,
    retryAfterMs: typeof patience === 'string' && /^\d{1,6}$/.test(patience) ? Number(patience) * 1000 : null,
  }
}

function sign(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** A user and a password in the address become a header: addresses end up in logs. */
function splitCredentials(address: string): { url: string; authorization: string | null } {
  const url = new URL(address)
  if (url.username === '' && url.password === '') return { url: address, authorization: null }
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  return { url: url.href, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** As the list of subscriptions has always named them. */
function describe(code: string): string {
  if (code === 'ETIMEDOUT' || code.endsWith('_TIMEOUT')) return 'timeout'
  return code === 'ENETWORK' || code.startsWith('HPE_') ? 'network error' : code
}

const PATIENCE_MS = 7 * 24 * HOUR_MS

/** Doubling from one second up to one hour, jitter included. */
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
 * The attempt after which seven days of waiting have gone by. Counted in attempts and not by the calendar: a clock that
 * jumps a week ahead, or a server that was off for a week, must not turn everybody who waits into a failure.
 */
export const LAST_ATTEMPT = countAttemptsWithin(PATIENCE_MS)

function countAttemptsWithin(patience: number): number {
  let attempts = 1
  for (let waited = 0; waited < patience; attempts++)
    waited += shortestDelayAfter(attempts) * (1 + JITTER / 2)
  return attempts
}

/**
 * Queues subscriptions that wait and are not in the queue: a backup or an export holds them and not the queue, and an
 * older process beside this one stores them alone. What such a process holds at the moment is left to it.
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
