import { SITE_TIME_ZONE } from '#contract/site.ts'

const HOUR_MS = 3_600_000
const MORNING = 8
const CLOCK = new Intl.DateTimeFormat('en-GB', {
  timeZone: SITE_TIME_ZONE,
  hour: '2-digit',
  hourCycle: 'h23',
})

/** The next eight o'clock at the site that is on another day than now. */
export function nextMorning(now: number): number {
  let time = Math.ceil(now / HOUR_MS) * HOUR_MS
  // To midnight first, so that what happens before eight in the morning waits for the next day's.
  while (Number(CLOCK.format(time)) !== 0) time += HOUR_MS
  while (Number(CLOCK.format(time)) !== MORNING) time += HOUR_MS
  return time
}
