import { HOUR_MS, JITTER, SECOND_MS } from '../back-off.ts'
import type { BackOff } from '../lane.ts'

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
