import type { Db } from '../db/database.ts'
import {
  type Channel,
  type ChannelWork,
  endOf,
  type Lane,
  type Outcome,
  type RoundDeps,
  type Row,
} from './channel.ts'
import { type Claim, findDue, type JobKind } from './queue.ts'
import { runRound } from './worker.ts'

interface SingleLaneChannel<Job extends Row> extends Pick<ChannelWork<Job>, 'limit' | 'backOff'> {
  kind: JobKind
  /** Parallel rounds. */
  rounds: number
  attempt(claims: readonly Claim[], round: RoundDeps): Promise<Outcome<Job>[]>
  /** Runs in the settling transaction. `isOurs` is false for a row that another process took or deleted. */
  record?(
    trx: Db,
    outcomes: readonly Outcome<Job>[],
    isOurs: (outcome: Outcome<Job>) => boolean,
    now: number,
  ): Promise<void>
  /** Called after settling. */
  onSettled?(outcomes: readonly Outcome<Job>[]): void
  /** Runs before each look at the queue. */
  beforeLook?(db: Db, now: number): Promise<void>
  /** Waiting jobs are sent before the process stops. */
  drainsAtStop?: boolean
}

/** A channel of jobs without a pixel: all of a kind in one lane. */
export function singleLaneChannel<Job extends Row>(options: SingleLaneChannel<Job>): Channel {
  const { kind, limit, rounds, backOff, onSettled } = options
  const run: Lane['run'] = async (round) => {
    const outcomes = await runRound<Job>(round, {
      scope: { kind },
      limit,
      atMostOnce: false,
      backOff,
      attempt: (claims) => options.attempt(claims, round),
      record: async (trx, settled, isOurs) => options.record?.(trx, settled, isOurs, round.now()),
    })
    onSettled?.(outcomes)
    return endOf(outcomes)
  }
  const lane = (due: string | null): Lane => ({
    key: kind,
    due,
    longestDelayMs: backOff.longestMs,
    rounds,
    run,
  })
  return {
    async list(db, now) {
      await options.beforeLook?.(db, now)
      return [lane(await findDue(db, { kind }))]
    },
    ...(options.drainsAtStop ? { last: () => lane(null) } : {}),
  }
}
