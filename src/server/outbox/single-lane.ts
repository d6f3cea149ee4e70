import type { Db } from '../db/database.ts'
import {
  endOf,
  type Lane,
  type LaneSource,
  type LaneWork,
  type Outcome,
  type RoundDeps,
  type Row,
} from './channel.ts'
import { type Claim, findDue, type JobKind } from './queue.ts'
import { runRound } from './worker.ts'

interface SingleLane<Job extends Row> extends Pick<LaneWork<Job>, 'limit' | 'backOff'> {
  kind: JobKind
  /** At the same time. */
  rounds: number
  attempt(claims: readonly Claim[], round: RoundDeps): Promise<Outcome<Job>[]>
  /** In the transaction that settles. `isOurs` is false of a row that another process took or deleted. */
  record?(
    trx: Db,
    outcomes: readonly Outcome<Job>[],
    isOurs: (outcome: Outcome<Job>) => boolean,
    now: number,
  ): Promise<void>
  /** Once it is settled. */
  onSettled?(outcomes: readonly Outcome<Job>[]): void
  /** Run before each look at the queue. */
  beforeLook?(db: Db, now: number): Promise<void>
  /** Whether what one job came to says anything about the next; true unless told. */
  restsAfterFailure?: boolean
  /** What waits when the process stops is sent first. */
  drainsAtStop?: boolean
}

/** A channel of jobs that belong to no pixel: all of the kind in one lane. */
export function singleLane<Job extends Row>(options: SingleLane<Job>): LaneSource {
  const { kind, limit, rounds, backOff, onSettled, restsAfterFailure = true } = options
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
    const end = endOf(outcomes)
    return end === 'failing' && !restsAfterFailure ? 'more' : end
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
      return [lane(await findDue(db, kind))]
    },
    ...(options.drainsAtStop ? { last: () => lane(null) } : {}),
  }
}
