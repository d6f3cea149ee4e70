import { SITE_TIME_ZONE } from '#contract/site.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')

const MOMENT = new Intl.DateTimeFormat('pt-BR', {
  dateStyle: 'short',
  timeStyle: 'medium',
  timeZone: SITE_TIME_ZONE,
})

export function formatNumber(count: number): string {
  return NUMBER.format(count)
}

/** "16/11/2026, 02:40:00", at the site. */
export function formatMoment(iso: string): string {
  return MOMENT.format(new Date(iso))
}

/** "16/11/2026" of a day of the site. */
export function formatDay(day: string): string {
  return day.split('-').reverse().join('/')
}

/** "67%"; empty for no total. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return ''
  const percent = (part / whole) * 100
  return percent > 0 && percent < 1 ? 'menos de 1%' : `${Math.round(percent)}%`
}
