const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long ago, in the fewest words: "há 2 min". */
export function formatAgo(timestamp: string, now: number): string {
  const elapsed = now - Date.parse(timestamp)
  if (elapsed < MINUTE_MS) return 'agora mesmo'
  if (elapsed < HOUR_MS) return `há ${Math.floor(elapsed / MINUTE_MS)} min`
  if (elapsed < DAY_MS) return `há ${Math.floor(elapsed / HOUR_MS)} h`
  const days = Math.floor(elapsed / DAY_MS)
  return days === 1 ? 'há 1 dia' : `há ${days} dias`
}
