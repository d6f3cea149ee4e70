import type { DeliveryState } from '#contract/conversions.ts'
import type { Db } from '../db/database.ts'
import type { Claim, DeliveryScope } from './queue.ts'

/** Given back as it was; looked at again after so long. */
export function untouched<Job extends Row>(job: Job, afterMs: number | null = null): Outcome<Job> {
  return { job, state: 'waiting', reason: '', answer: '', message: '', afterMs, isUntouched: true }
}

/** Leaves the queue without another attempt. */
export function settled<Job extends Row>(
  job: Job,
  state: Exclude<Outcome['state'], 'waiting'>,
  answer: string,
  message: string,
): Outcome<Job> {
  return { job, state, reason: '', answer, message, afterMs: null, isUntouched: false }
}

/** Where nothing was taken, the rest would not be either: it waits, instead of being tried row by row. */
export function endOf(outcomes: readonly Outcome<Row>[]): RoundEnd {
  if (outcomes.some(({ state }) => state !== 'waiting')) return 'more'
  return outcomes.some(({ isUntouched }) => !isUntouched) ? 'failing' : 'done'
}

export const SECOND_MS = 1_000

export const MINUTE_MS = 60 * SECOND_MS

export const HOUR_MS = 60 * MINUTE_MS

/** Spread on top of each wait, so that what failed together does not come back together. */
export const JITTER = 0.25

/** Waits of these lengths, the last one again and again. */
export function backOffBy(delaysMs: readonly number[], random: () => number = Math.random): BackOff {
  const longestMs = (delaysMs.at(-1) ?? 0) * (1 + JITTER)
  return {
    longestMs,
    after(attempts, askedMs) {
      const own = delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? 0
      return Math.round(Math.min(longestMs, Math.max(own * (1 + JITTER * random()), askedMs ?? 0)))
    },
  }
}

/** How long to wait between attempts. */
export interface BackOff {
  /** The furthest ahead that an attempt is ever put. */
  longestMs: number
  /** After so many that failed: as asked, if the other side asked for longer. */
  after(attempts: number, askedMs: number | null): number
}

/** Whatever a kind makes of a claim, it keeps its id. */
export interface Row {
  id: string
}

/** What one claim came to. */
export interface Outcome<Job extends Row = Claim> {
  job: Job
  state: DeliveryState
  reason: string
  answer: string
  message: string
  /** Of what waits: not before; null leaves it to the back-off. */
  afterMs: number | null
  /** Of what waits: the attempt was none. */
  isUntouched: boolean
}

/** What one kind does with what was claimed of it; claiming, holding and settling are the same for all. */
export interface LaneWork<Job extends Row = Claim> {
  scope: DeliveryScope
  /** Taken in one round. */
  limit: number
  /** Whom it is sent to counts twice what comes twice: what may have been written is never sent again. */
  atMostOnce: boolean
  backOff: BackOff
  attempt(claims: readonly Claim[], signal: AbortSignal): Promise<Outcome<Job>[]>
  /** In the transaction that settles: what else is written down. `isOurs` is false of a row that another took or deleted. */
  record?(
    trx: Db,
    outcomes: readonly Outcome<Job>[],
    isOurs: (outcome: Outcome<Job>) => boolean,
  ): Promise<void>
}

/** What every round needs. */
export interface RoundDeps {
  db: Db
  now: () => number
  leaseMs: number
  /** Aborted when what runs has to be given back. */
  signal: AbortSignal
}

/** One destination's own row of what waits: a slow one holds up none of the others. */
export interface Lane {
  /** A pixel's id, or a kind. */
  key: string
  /** When its next delivery is due; null when none waits. */
  due: string | null
  longestDelayMs: number
  /** Rounds at the same time: an answer that never comes holds up its own round, and not those beside it. */
  rounds: number
  run(round: RoundDeps): Promise<RoundEnd>
}

/** After one round: another may find more, none would, or nothing was taken and another must wait. */
export type RoundEnd = 'more' | 'done' | 'failing'

/** Where lanes come from. */
export interface LaneSource {
  list(db: Db, now: number): Promise<Lane[]>
  /** One that is run once more when the process stops, after the last request. */
  last?(): Lane
}
