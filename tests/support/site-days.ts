import { nextSiteDay, startOfSiteDay } from '#contract/site.ts'

const HALF_DAY_MS = 12 * 3_600_000

/**
 * The first moments of tomorrow, today and the six days before, as the site has its days. What a test counts today it
 * counts tomorrow as well: then it does not matter whether midnight passes while it runs.
 */
export function startsOfDays(now = Date.now()): string[] {
  const starts = [nextSiteDay(startOfSiteDay(now)), startOfSiteDay(now)]
  // However clocks are moved, twelve hours before a day's beginning is the day before.
  while (starts.length < 8) starts.push(startOfSiteDay((starts.at(-1) ?? now) - HALF_DAY_MS))
  return starts.map((start) => new Date(start).toISOString())
}
