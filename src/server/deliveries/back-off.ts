import type { BackOff } from './lane.ts'

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
