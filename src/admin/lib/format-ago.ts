import { UNKNOWN_DATE } from './format-date.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const AGO = new Intl.RelativeTimeFormat('pt-BR', { style: 'short' })

/** How long ago, in the fewest words: "há 2 min". */
export function formatAgo(timestamp: string, now: number): string {
  const elapsed = now - Date.parse(timestamp)
  if (Number.isNaN(elapsed)) return UNKNOWN_DATE
  if (elapsed < MINUTE_MS) return 'agora mesmo'
  if (elapsed < HOUR_MS) return ago(elapsed / MINUTE_MS, 'minute')
  if (elapsed < DAY_MS) return ago(elapsed / HOUR_MS, 'hour')
  return ago(elapsed / DAY_MS, 'day')
}

function ago(count: number, unit: 'minute' | 'hour' | 'day'): string {
  // "min." with its point would end the sentence that it stands in.
  return AGO.format(-Math.floor(count), unit).replace(/\.$/, '')
}
