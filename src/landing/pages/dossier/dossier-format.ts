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
