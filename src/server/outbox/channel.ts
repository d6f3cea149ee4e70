import type { DeliveryState } from '#contract/conversions.ts'
import type { Db } from '../db/database.ts'
import type { Claim, DeliveryScope } from './queue.ts'

/** Returned without an attempt; due again after this time. */
export function untouched<Job extends Row>(job: Job, afterMs: number | null = null): Outcome<Job> {
  return { job, state: 'waiting', reason: '', answer: '', message: '', afterMs, isUntouched: true }
}

/** Leaves the queue. */
export function settled<Job extends Row>(
  job: Job,
  state: Exclude<Outcome['state'], 'waiting'>,
  answer: string,
  message: string,
): Outcome<Job> {
  return { job, state, reason: '', answer, message, afterMs: null, isUntouched: false }
}

/** If nothing was accepted, the rest would not be either: the lane waits instead of trying row by row. */
export function endOf(outcomes: readonly Outcome<Row>[]): RoundEnd {
  if (outcomes.some(({ state }) => state !== 'waiting')) return 'more'
  return outcomes.some(({ isUntouched }) => !isUntouched) ? 'failing' : 'done'
}

/** Added to each delay, so that jobs that failed together do not return together. */
export const JITTER = 0.25

/** Delays of these lengths; the last one is repeated. */
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

/** Delays between attempts. */
export interface BackOff {
  /** The longest delay of an attempt. */
  longestMs: number
  /** The delay after this number of failures, or the one that the other side asked for if it is longer. */
  after(attempts: number, askedMs: number | null): number
}

/** Whatever a channel makes of a claim, it keeps its id. */
export interface Row {
  id: string
}

/** The result of one claim. */
export interface Outcome<Job extends Row = Claim> {
  job: Job
  state: DeliveryState
  reason: string
  answer: string
  message: string
  /** For waiting jobs: the earliest next attempt; null uses the back-off. */
  afterMs: number | null
  /** For waiting jobs: this was not an attempt. */
  isUntouched: boolean
}

/** What one channel does with its claims; claiming, leases and settling are the same for all. */
export interface ChannelWork<Job extends Row = Claim> {
  scope: DeliveryScope
  /** Jobs in one round. */
  limit: number
  /** The receiver counts duplicates: a job that may have been sent is never sent again. */
  atMostOnce: boolean
  backOff: BackOff
  attempt(claims: readonly Claim[], signal: AbortSignal): Promise<Outcome<Job>[]>
  /**
   * Runs last in the settling transaction, for further writes. `isOurs` is false for a row that another process took or
   * deleted. Rows that other rounds write too come last of all: they are locked until the commit.
   */
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
  /** Aborted when running jobs must be returned. */
  signal: AbortSignal
  /** For a lane that rested: how often its receiver has failed. The round tries one job. */
  failures?: number | null
}

/** A row of jobs that is worked independently: a slow one delays no other. */
export interface Lane {
  /** A pixel's id, or a kind. */
  key: string
  /** When its next job is due; null if none waits. */
  due: string | null
  longestDelayMs: number
  /** Parallel rounds: an answer that never comes delays only its own round. */
  rounds: number
  run(round: RoundDeps): Promise<RoundEnd>
}

/** After a round: there may be more jobs, there are none, or nothing was accepted and the lane must wait. */
export type RoundEnd = 'more' | 'done' | 'failing'

/** Where lanes come from. */
export interface Channel {
  list(db: Db, now: number): Promise<Lane[]>
  /** Run once more when the process stops, after the last request. */
  last?(): Lane
}
