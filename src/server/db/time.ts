/** Now, or just after `previous` when the clock has not moved on: a changed row must have changed its version. */
export function nextTimestamp(previous: unknown, now = new Date()): string {
  const floor = typeof previous === 'string' ? Date.parse(previous) + 1 : 0
  return new Date(Math.max(now.getTime(), floor)).toISOString()
}

/** How far the clocks of two replicas may differ before one thinks that its own was set back. */
export const CLOCK_TOLERANCE_MS = 60_000

/**
 * Whether a time that we write at most `longestMs` ahead is still to come. One that is further ahead was written while
 * the clock was wrong and counts as past: what a wrong clock locked or promised does not outlive its correction.
 */
export function isUnexpired(time: string | number, longestMs: number, now: number): boolean {
  const ahead = (typeof time === 'number' ? time : Date.parse(time)) - now
  return ahead > 0 && ahead <= longestMs + CLOCK_TOLERANCE_MS
}

/** The same as the two ends of a range, for a statement: still to come is `> after` and `<= upTo`. */
export function aheadRange(longestMs: number, now: number): { after: string; upTo: string } {
  return {
    after: new Date(now).toISOString(),
    upTo: new Date(now + longestMs + CLOCK_TOLERANCE_MS).toISOString(),
  }
}
