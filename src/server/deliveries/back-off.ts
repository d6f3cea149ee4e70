const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DELAYS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS]
/** Spread on top, so that what failed together does not come back together. */
const JITTER = 0.25

/** The furthest ahead that an attempt is ever put. */
export const LONGEST_DELAY_MS = 6 * HOUR_MS * (1 + JITTER)

/** How long to wait after so many failed attempts: as asked, if the other side asked for longer. */
export function delayAfter(attempts: number, askedMs: number | null, random = Math.random): number {
  const own = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] ?? 0
  return Math.round(Math.min(LONGEST_DELAY_MS, Math.max(own * (1 + JITTER * random()), askedMs ?? 0)))
}
