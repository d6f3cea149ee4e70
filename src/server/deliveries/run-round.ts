import { readClock } from '../db/sweep-clock.ts'
import { type Claim, claimDue } from './claim-due.ts'
import { holdClaims } from './hold-claims.ts'
import type { LaneWork, Outcome, RoundDeps, Row } from './lane.ts'
import { untouched } from './outcome.ts'
import { settleOutcomes } from './settle-outcomes.ts'

/** What has expired by a clock that is not trusted is looked at again after so long. */
const DISTRUST_MS = 10 * 60_000

/** One round of one lane: claims what is due, has it sent, and writes down what became of it. */
export async function runRound<Job extends Row>(
  deps: RoundDeps,
  work: LaneWork<Job>,
): Promise<Outcome<Job>[]> {
  const { db, now, leaseMs } = deps
  const { scope, limit, atMostOnce, backOff } = work
  const claims = await claimDue(db, {
    scope,
    limit,
    atMostOnce,
    leaseMs,
    now: now(),
    longestDelayMs: backOff.longestMs,
  })
  if (claims.length === 0) return []
  const isExpired = ({ expires_at }: Claim) => expires_at !== null && Date.parse(expires_at) <= now()
  const isHeld = claims.some(isExpired) && (await readClock(db)).distrust !== null ? isExpired : () => false
  const held = holdClaims(deps, claims)
  let outcomes: Outcome<Job>[]
  try {
    outcomes = [
      ...(await work.attempt(
        claims.filter((claim) => !isHeld(claim)),
        deps.signal,
      )),
      ...claims.filter(isHeld).map((claim) => untouched(claim as unknown as Job, DISTRUST_MS)),
    ]
  } finally {
    await held.letGo()
  }
  await settleOutcomes(db, work, { claims, outcomes }, now())
  return outcomes
}
