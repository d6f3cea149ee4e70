import { claimDue } from './claim-due.ts'
import { holdClaims } from './hold-claims.ts'
import type { LaneWork, Outcome, RoundDeps, Row } from './lane.ts'
import { settleOutcomes } from './settle-outcomes.ts'

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
  const held = holdClaims(deps, claims)
  let outcomes: Outcome<Job>[]
  try {
    outcomes = await work.attempt(claims, deps.signal)
  } finally {
    await held.letGo()
  }
  await settleOutcomes(db, work, { claims, outcomes }, now())
  return outcomes
}
