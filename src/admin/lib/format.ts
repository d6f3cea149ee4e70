import { SITE_TIME_ZONE } from '#contract/site.ts'

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

/** The site's own, whoever looks from wherever: a day in a list is the day of the figures above it. */
const timeZone = SITE_TIME_ZONE

const DATE = new Intl.DateTimeFormat('pt-BR', { timeZone, day: '2-digit', month: '2-digit', year: 'numeric' })

const MINUTE = new Intl.DateTimeFormat('pt-BR', { timeZone, dateStyle: 'short', timeStyle: 'short' })

const FULL = new Intl.DateTimeFormat('pt-BR', { timeZone, dateStyle: 'full', timeStyle: 'medium' })

export const UNKNOWN_DATE = 'data desconhecida'

export const formatDate = (timestamp: string): string => format(DATE, timestamp)

export const formatMinute = (timestamp: string): string => format(MINUTE, timestamp)

export const formatTimestamp = (timestamp: string): string => format(FULL, timestamp)

/** A formatter throws at what is no date, and that would take the whole screen with it. */
function format(formatter: Intl.DateTimeFormat, timestamp: string): string {
  const date = new Date(timestamp)
  return Number.isNaN(date.getTime()) ? UNKNOWN_DATE : formatter.format(date)
}
