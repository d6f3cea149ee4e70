import { setTimeout as wait } from 'node:timers/promises'
import { nextSiteDay, startOfSiteDay } from '#contract/site.ts'

const HALF_DAY_MS = 12 * 3_600_000

/**
 * Starts of tomorrow, today and the six days before, in days of the site. Counts of today are also stored for tomorrow,
 * so that midnight during a test does not matter.
 */
export function startsOfDays(now = Date.now()): string[] {
  const starts = [nextSiteDay(startOfSiteDay(now)), startOfSiteDay(now)]
  // Twelve hours before the start of a day is the day before, also when clocks change.
  while (starts.length < 8) starts.push(startOfSiteDay((starts.at(-1) ?? now) - HALF_DAY_MS))
  return starts.map((start) => new Date(start).toISOString())
}

/** Waits for the next day of the site if this one ends sooner: no test can move the clock of a built server. */
export async function untilDayLasts(ms: number): Promise<void> {
  const left = nextSiteDay(startOfSiteDay(Date.now())) - Date.now()
  if (left < ms) await wait(left + 1)
}
