import { DAY_MS, HOUR_MS, MINUTE_MS } from '#contract/durations.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'

/** Every number, date and list that people read is formatted here. */

const NUMBER = new Intl.NumberFormat('pt-BR')
const KILOBYTES = new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 1 })
const ONE_DIGIT = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const LIST = new Intl.ListFormat('pt-BR')
const AGO = new Intl.RelativeTimeFormat('pt-BR', { style: 'short' })

/** "1.234" */
export const formatNumber = (value: number): string => NUMBER.format(value)

/** "7,5 KB" */
export const formatKilobytes = (bytes: number): string => `${KILOBYTES.format(bytes / 1024)} KB`

/** "1,4 s" */
export const formatSeconds = (ms: number): string => `${ONE_DIGIT.format(ms / 1000)} s`

/** "4,8": how many for every hundred. Never rounded to zero. */
export function formatPerHundred(part: number, whole: number): string {
  const rate = (part / whole) * 100
  return rate > 0 && rate < 0.1 ? 'menos de 0,1' : ONE_DIGIT.format(rate)
}

/** "R$ 62.410,00", exactly: the amount is a decimal text of any length. */
export function formatMoney(amount: string, currency: string): string {
  const digits = amount.split('.')[1]?.length ?? 0
  const format = new Intl.NumberFormat('pt-BR', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return format.format(amount as `${number}`)
}

/** "nome, ID e código" */
export const formatList = (parts: readonly string[]): string => LIST.format(parts)

/** The site's zone, wherever the viewer is: a day in a list is the day of the figures above it. */
const timeZone = SITE_TIME_ZONE
const twoDigits = { day: '2-digit', month: '2-digit' } as const

const DATE = dates({ ...twoDigits, year: 'numeric' })
const DAY_MONTH = dates(twoDigits)
const WEEKDAY = dates({ weekday: 'long', ...twoDigits })
const LONG_DAY = dates({ weekday: 'long', day: 'numeric', month: 'long' })
const MONTH = dates({ month: 'short' })
const LONG_MONTH = dates({ month: 'long', year: 'numeric' })
const HOUR = dates({ hour: '2-digit', hourCycle: 'h23' })
const CLOCK = dates({ hour: '2-digit', minute: '2-digit' })
const MINUTE = dates({ dateStyle: 'short', timeStyle: 'short' })
const FULL = dates({ dateStyle: 'full', timeStyle: 'medium' })

function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('pt-BR', { timeZone, ...options })
}

export const UNKNOWN_DATE = 'data desconhecida'

/** A formatter throws for an invalid date, which would break the whole screen. */
function format(formatter: Intl.DateTimeFormat, moment: Moment): string {
  const date = new Date(moment)
  return Number.isNaN(date.getTime()) ? UNKNOWN_DATE : formatter.format(date)
}

/** The server's format, or milliseconds. */
type Moment = string | number

/** "15/11/2026" */
export const formatDate = (moment: Moment): string => format(DATE, moment)

/** "15/11" */
export const formatDayMonth = (moment: Moment): string => format(DAY_MONTH, moment)

/** "domingo, 15/11" */
export const formatWeekday = (moment: Moment): string => format(WEEKDAY, moment)

/** "domingo, 15 de novembro" */
export const formatLongDay = (moment: Moment): string => format(LONG_DAY, moment)

/** "nov" */
export const formatMonth = (moment: Moment): string => format(MONTH, moment).replace('.', '')

/** "novembro de 2026" */
export const formatLongMonth = (moment: Moment): string => format(LONG_MONTH, moment)

/** "15h" */
export const formatHour = (moment: Moment): string => `${format(HOUR, moment)}h`

/** "08:18" */
export const formatClock = (moment: Moment): string => format(CLOCK, moment)

/** "8h18", and "8h" on the hour. */
export const formatTime = (moment: Moment): string =>
  formatClock(moment)
    .replace(/^0(\d)/, '$1')
    .replace(':', 'h')
    .replace(/h00$/, 'h')

/** "15/11/2026, 08:18" */
export const formatMinute = (moment: Moment): string => format(MINUTE, moment)

/** "domingo, 15 de novembro de 2026 às 08:18:00" */
export const formatTimestamp = (moment: Moment): string => format(FULL, moment)

/** A day without a time, as "2026-11-16": "16/11". */
export const formatShortDay = (day: string): string => `${day.slice(8)}/${day.slice(5, 7)}`

/** "segunda-feira, 16/11". Noon is the same day in the site's zone as in UTC. */
export const formatWeekdayOf = (day: string): string => formatWeekday(`${day}T12:00:00Z`)

/** How long ago, briefly: "há 2 min". */
export function formatAgo(moment: Moment, now: number): string {
  const elapsed = now - new Date(moment).getTime()
  if (Number.isNaN(elapsed)) return UNKNOWN_DATE
  if (elapsed < MINUTE_MS) return 'agora mesmo'
  if (elapsed < HOUR_MS) return ago(elapsed / MINUTE_MS, 'minute')
  if (elapsed < DAY_MS) return ago(elapsed / HOUR_MS, 'hour')
  return ago(elapsed / DAY_MS, 'day')
}

function ago(count: number, unit: 'minute' | 'hour' | 'day'): string {
  // "min." with its full stop would end the sentence.
  return AGO.format(-Math.floor(count), unit).replace(/\.$/, '')
}
