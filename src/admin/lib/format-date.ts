import { SITE_TIME_ZONE } from '#contract/site.ts'

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
