const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const PATIENCE_MS = 7 * 24 * HOUR_MS
/** Spread on top of each wait, so that what failed together does not come back together. */
const JITTER = 0.25

export const LONGEST_DELAY_MS = HOUR_MS

/** How long to wait after so many failed attempts: doubling from one second up to one hour, jitter included. */
export function delayAfter(attempts: number, random: () => number = Math.random): number {
  return Math.round(shortestDelayAfter(attempts) * (1 + JITTER * random()))
}

function shortestDelayAfter(attempts: number): number {
  return Math.min(LONGEST_DELAY_MS / (1 + JITTER), SECOND_MS * 2 ** (attempts - 1))
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
