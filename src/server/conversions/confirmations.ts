import type { PixelDeliveries } from '#contract/conversions.ts'
import { HOUR_MS, MINUTE_MS } from '#contract/durations.ts'
import type { Db } from '../db/database.ts'
import { pipeline } from '../db/transactions/change.ts'
import type { OutgoingClient } from '../http/outgoing.ts'
import {
  backOffBy,
  type Channel,
  type Outcome,
  type RoundDeps,
  type Row,
  settled,
  untouched,
} from '../outbox/channel.ts'
import { makeRowId } from '../outbox/enqueue.ts'
import type { Claim } from '../outbox/queue.ts'
import { singleLaneChannel } from '../outbox/single-lane.ts'
import { addCounts, type Count, sumCounts } from '../stats/counts.ts'
import type { SeriesKeys } from '../stats/series.ts'
import type { Destination } from './destinations/destination.ts'
import { askConfirmation } from './send-events.ts'
import { readTarget, type TargetDeps } from './targets.ts'

/** Requests of one round. Google allows 300 questions a minute. */
const CONCURRENCY = 4

/** As for sending: an answer that never comes delays only its own round. */
const ROUNDS = 3

const BACK_OFF = backOffBy([5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS])

/** A request that a vendor accepted and judges later: the payload of its job. It has no data of visitors. */
interface AcceptedRequest {
  pixel: string
  destination: string
  /** The vendor's. */
  id: string
  events: number
}

/** Stores requests to ask about, in the transaction that counts their events. Those without events are left out. */
export async function storeRequests(
  trx: Db,
  {
    pixelId,
    destination: { id: destination, confirmation },
    requests,
    now,
  }: {
    pixelId: string
    destination: Pick<Destination, 'id' | 'confirmation'>
    requests: readonly Pick<AcceptedRequest, 'id' | 'events'>[]
    now: number
  },
): Promise<void> {
  const counted = requests.filter(({ events }) => events > 0)
  if (confirmation === undefined || counted.length === 0) return
  const after = (ms: number) => new Date(now + ms).toISOString()
  const rows = counted.map((request) => ({
    id: makeRowId(),
    kind: 'confirmation',
    payload: JSON.stringify({ pixel: pixelId, destination, ...request } satisfies AcceptedRequest),
    created_at: after(0),
    next_attempt_at: after(confirmation.firstMs),
    expires_at: after(confirmation.lastMs),
  }))
  await pipeline(trx, trx.insertInto('deliveries').values(rows))
}

interface ConfirmationDeps extends Omit<TargetDeps, 'db'> {
  client: OutgoingClient
}

/** A question, and what it added to the counts. */
interface Asked extends Row {
  counts: readonly Count[]
}

/**
 * Asks vendors what became of accepted events until they say so, and counts it once. A pixel that is off is asked about
 * too: its events were sent. Failures rest the lane and never stop a pixel's sending.
 */
export function confirmationChannel(deps: ConfirmationDeps): Channel {
  return singleLaneChannel<Asked>({
    kind: 'confirmation',
    limit: CONCURRENCY,
    rounds: ROUNDS,
    backOff: BACK_OFF,
    attempt: (claims, round) => Promise.all(claims.map((claim) => ask(deps, round, claim))),
    record: (trx, outcomes, isOurs) =>
      addCounts(
        trx,
        outcomes.filter(isOurs).flatMap(({ job }) => job.counts),
      ),
  })
}

async function ask(
  deps: ConfirmationDeps,
  { db, now, signal }: RoundDeps,
  { id, payload, created_at, expires_at }: Claim,
): Promise<Outcome<Asked>> {
  const request = JSON.parse(payload) as AcceptedRequest
  const sentAt = Date.parse(created_at)
  const job: Asked = { id, counts: [] }
  const counting = (results: readonly [SeriesKeys['conversion.confirmation'], number][]): Asked => ({
    id,
    counts: results.map(([key, by]) => ({
      series: 'conversion.confirmation',
      subject: request.pixel,
      at: sentAt,
      key,
      by,
    })),
  })
  const target = await readTarget({ ...deps, db }, request.pixel)
  const confirmation = target?.destination.confirmation
  // Deleted, without a key, or sent elsewhere now: nobody can be asked.
  if (target?.destination.id !== request.destination || confirmation === undefined)
    return settled(job, 'withheld', '', '')
  const verdict = await askConfirmation(deps.client, target, confirmation, request, signal)
  if (verdict.kind === 'interrupted') return untouched(job)
  if (verdict.kind === 'judged') {
    const { confirmed, refused } = verdict
    const refusals = refused.map(({ reason, count }) => [`refused ${reason}`, count] as const)
    const results = [['confirmed ', confirmed] as const, ...refusals].filter(([, count]) => count > 0)
    return settled(counting(results as [SeriesKeys['conversion.confirmation'], number][]), 'accepted', '', '')
  }
  // Asked a last time, also if nothing ran until now.
  if (Date.parse(expires_at ?? '') <= now())
    return settled(counting([['unanswered ', request.events]]), 'expired', '', '')
  if (verdict.kind === 'retry')
    return { ...untouched(job, verdict.afterMs), answer: verdict.answer, isUntouched: false }
  // No result yet: each time after twice as long.
  return untouched(job, Math.min(Math.max(now() - sentAt, MINUTE_MS), BACK_OFF.longestMs))
}

/** What the vendor said later about a pixel's events, and why it refused some; null if it said nothing. */
export async function readConfirmations(
  db: Db,
  subject: string,
  from: number,
): Promise<{
  confirmations: PixelDeliveries['confirmations']
  refusals: { reason: string; count: number }[]
}> {
  const rows = await sumCounts(db, { series: 'conversion.confirmation', resolution: 'day', subject, from })
  if (rows.length === 0) return { confirmations: null, refusals: [] }
  const confirmations = { confirmed: 0, refused: 0, unanswered: 0 }
  const refusals: { reason: string; count: number }[] = []
  for (const { key, count } of rows) {
    const [state, reason = ''] = key.split(' ', 2) as [keyof typeof confirmations, string?]
    confirmations[state] += count
    if (state === 'refused') refusals.push({ reason, count })
  }
  return { confirmations, refusals }
}
