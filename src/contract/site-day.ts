import { SITE_TIME_ZONE } from './site-time-zone.ts'

const HOUR_MS = 3_600_000

const DATE = new Intl.DateTimeFormat('en', {
  timeZone: SITE_TIME_ZONE,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
})

/** `2026-11-15`, as the site's clock has it. No locale's own order of the parts is the same in every browser. */
export function siteDate(time: number): string {
  const parts = DATE.formatToParts(time)
  const part = (name: 'year' | 'month' | 'day') => parts.find(({ type }) => type === name)?.value
  return `${part('year')}-${part('month')}-${part('day')}`
}

/** When a date begins at the site, in whole hours. Where clocks are moved at midnight, with the first hour of that date. */
export function startOfSiteDate(date: string): number {
  // No zone is further than this from UTC; the first hour that has the date is its beginning.
  let time = Date.parse(`${date}T00:00:00Z`) - 14 * HOUR_MS
  while (siteDate(time) < date) time += HOUR_MS
  return time
}

export function startOfSiteDay(time: number): number {
  return startOfSiteDate(siteDate(time))
}

/** The beginning of the day after the one that begins at `start`. */
export function nextSiteDay(start: number): number {
  const date = siteDate(start)
  // Days have between 23 and 25 hours.
  let time = start + 23 * HOUR_MS
  while (siteDate(time) === date) time += HOUR_MS
  return time
}
