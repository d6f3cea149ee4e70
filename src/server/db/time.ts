import { MINUTE_MS } from '#contract/durations.ts'

/** Now, or just after `previous` if the clock has not moved: a changed row must change its version. */
export function nextTimestamp(previous: unknown, now = new Date()): string {
  const floor = typeof previous === 'string' ? Date.parse(previous) + 1 : 0
  return new Date(Math.max(now.getTime(), floor)).toISOString()
}

/** How far the clocks of two processes may differ before one assumes that its own was set back. */
export const CLOCK_TOLERANCE_MS = MINUTE_MS

/**
 * True if a time that we write at most `longestMs` ahead is in the future. A time further ahead comes from a wrong
 * clock and counts as past, so that its locks and promises end when the clock is right.
 */
export function isUnexpired(time: string | number, longestMs: number, now: number): boolean {
  const ahead = (typeof time === 'number' ? time : Date.parse(time)) - now
  return ahead > 0 && ahead <= longestMs + CLOCK_TOLERANCE_MS
}

/** The same as a range for a statement: in the future is `> after` and `<= upTo`. */
export function aheadRange(longestMs: number, now: number): { after: string; upTo: string } {
  return {
    after: new Date(now).toISOString(),
    upTo: new Date(now + longestMs + CLOCK_TOLERANCE_MS).toISOString(),
  }
}
