import type { Logger } from '#server/http/logger.ts'
import { findDue } from '../claim-due.ts'
import type { Lane, LaneSource, LaneWork, Outcome } from '../lane.ts'
import type { OutgoingClient } from '../outgoing-client.ts'
import { runRound } from '../run-round.ts'
import { adoptSubscriptions } from './adopt-subscriptions.ts'
import { attemptSubscriptions, type SubscriptionJob } from './attempt-subscriptions.ts'
import { newsletterBackOff } from './back-off.ts'
import { recordAttempts } from './record-attempts.ts'

/** Few at a time: ten thousand that wait must slow neither the page nor the webhook. */
const CONCURRENCY = 10
const TIMEOUT_MS = 10_000
/** How often subscriptions are looked for that only an older process stored. */
const ADOPT_MS = 60_000

interface NewsletterLaneDeps {
  webhook: { readonly webhookUrl: string | null; readonly webhookSecret: string | null }
  client: OutgoingClient
  log: Pick<Logger, 'info' | 'warn'>
  /** Told what each attempt came to. */
  onSettled?: (state: Outcome['state']) => void
  timeoutMs?: number
}

/** Posts each stored subscription to the webhook until it is taken. Without a webhook nothing is sent, and all is kept. */
export function newsletterLane(deps: NewsletterLaneDeps): LaneSource {
  const { webhookUrl: url, webhookSecret: secret } = deps.webhook
  if (url === null) return { list: async () => [] }
  const tell = tellOnce(deps.log)
  const webhook = { url, secret, timeoutMs: deps.timeoutMs ?? TIMEOUT_MS }
  const backOff = newsletterBackOff()
  let adoptedAt = Number.NEGATIVE_INFINITY

  const run: Lane['run'] = async (round) => {
    const work: LaneWork<SubscriptionJob> = {
      scope: { kind: 'newsletter' },
      limit: CONCURRENCY,
      atMostOnce: false,
      backOff,
      attempt: (claims, signal) =>
        attemptSubscriptions({ db: round.db, client: deps.client, webhook, signal }, claims),
      record: (trx, outcomes, isOurs) => recordAttempts(trx, outcomes, isOurs, round.now()),
    }
    const outcomes = await runRound(round, work)
    for (const { state, isUntouched } of outcomes) if (!isUntouched) deps.onSettled?.(state)
    tell(outcomes)
    // One that the webhook refuses says nothing of the next.
    return outcomes.some(({ isUntouched }) => !isUntouched) ? 'more' : 'done'
  }

  return {
    async list(db, now) {
      if (performance.now() - adoptedAt > ADOPT_MS) {
        await adoptSubscriptions(db, now)
        adoptedAt = performance.now()
      }
      return [
        {
          key: 'newsletter',
          due: await findDue(db, 'newsletter'),
          longestDelayMs: backOff.longestMs,
          rounds: 1,
          run,
        },
      ]
    },
  }
}

/** Says when deliveries begin to fail and when they work again: a line per attempt would fill the log for a week. */
function tellOnce(log: NewsletterLaneDeps['log']): (outcomes: readonly Outcome<SubscriptionJob>[]) => void {
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
