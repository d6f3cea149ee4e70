/** How many visits had each value. */
export type Histogram = ReadonlyMap<number, number>

export function countVisits(histogram: Histogram): number {
  return [...histogram.values()].reduce((sum, count) => sum + count, 0)
}

/** The value that three quarters of the visits do not exceed, and a quarter reaches; of no visit there is none. */
export function readP75(histogram: Histogram): number | null {
  const rank = Math.ceil(0.75 * countVisits(histogram))
  let passed = 0
  for (const [value, count] of [...histogram].sort(([a], [b]) => a - b)) {
    passed += count
    if (count > 0 && passed >= rank) return value
  }
  return null
}
