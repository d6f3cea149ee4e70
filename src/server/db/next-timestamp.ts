/** Now, or just after `previous` when the clock has not moved on: a changed row must have changed its version. */
export function nextTimestamp(previous: unknown, now = new Date()): string {
  const floor = typeof previous === 'string' ? Date.parse(previous) + 1 : 0
  return new Date(Math.max(now.getTime(), floor)).toISOString()
}
