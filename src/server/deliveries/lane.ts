import type { DeliveryState } from '#contract/conversions.ts'
import type { Db } from '../db/database.ts'
import type { DeliveryScope } from '../db/delivery-scope.ts'
import type { Claim } from './claim-due.ts'

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
