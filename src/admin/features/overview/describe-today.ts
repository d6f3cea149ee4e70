import { formatShare } from '#contract/format-count.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import type { SiteCost } from '#contract/tag-cost.ts'
import type { TodayFigure } from '#contract/visit-results.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')
const DAY = new Intl.DateTimeFormat('pt-BR', {
  timeZone: SITE_TIME_ZONE,
  weekday: 'long',
  day: 'numeric',
  month: 'long',
})
const DATE = new Intl.DateTimeFormat('pt-BR', { timeZone: SITE_TIME_ZONE, day: '2-digit', month: '2-digit' })
const TIME = new Intl.DateTimeFormat('pt-BR', {
  timeZone: SITE_TIME_ZONE,
  hour: 'numeric',
  minute: '2-digit',
})

export const dayOf = (moment: string): string => DAY.format(new Date(moment))

/** "14h20", and "14h" on the hour. */
export function timeOf(moment: string): string {
  return TIME.format(new Date(moment))
    .replace(/^0(\d)/, '$1')
    .replace(':', 'h')
    .replace(/h00$/, 'h')
}

export const dateAndTimeOf = (moment: string): string =>
  `${DATE.format(new Date(moment))} às ${timeOf(moment)}`

/** The end of yesterday is no time of today's clock. */
export function untilOf(moment: string): string {
  const time = timeOf(moment)
  return time === '0h' ? 'o fim do dia' : time
}

export const count = (value: number): string => NUMBER.format(value)

/** Steps of a histogram, of what browsers tell: never too much. */
export function describeCost({ ms, unattributed_ms: rest }: SiteCost): string {
  const sum =
    ms === 0 ? 'As tags não travam a página (p75)' : `As tags somam ${count(ms)} ms por visita ou mais (p75)`
  return rest === 0 ? sum : `${sum}; sem dono certo, ${count(rest)} ms`
}

/** Without its base a share says nothing: no share of none. */
export function share(part: number | undefined, whole: number | undefined): string | null {
  return part === undefined || whole === undefined || whole === 0 ? null : formatShare(part, whole)
}

/** For who cannot see the line: "09/11: 3, 10/11: não contado". */
export function readOut({ days }: TodayFigure, dates: readonly string[]): string {
  const parts = days.map((value, index) => {
    const [, month, day] = (dates[index] ?? '').split('-')
    return `${day}/${month}: ${value === null ? 'não contado' : count(value)}`
  })
  return `Sete dias. ${parts.join(', ')}.`
}
