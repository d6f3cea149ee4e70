import { nextSiteDay, siteDate, startOfSiteDay } from '#contract/site.ts'
import type { Today, TodayFigure } from '#contract/visit-results.ts'
import type { Db } from '#server/db/database.ts'
import { readCounts } from '#server/stats/counts.ts'
import { CHOICES, type SeriesKeys, TEN_MINUTES_MS } from '#server/stats/series.ts'
import { readSiteCost } from './cost.ts'

const HOUR_MS = 3_600_000
const DAYS = 7

/** From, and up to, a moment. */
type Span = readonly [from: number, to: number]

export interface TodayDeps {
  db: Db
  /** How many subscriptions are from each of these times, and when the first of all was made. */
  countSubscriptions: (spans: readonly Span[]) => Promise<{ counts: number[]; first: string | null }>
}

/** The site's day so far, yesterday up to the same ten minutes, and seven days. */
export async function readToday({ db, countSubscriptions }: TodayDeps, now = Date.now()): Promise<Today> {
  const days = lastDays(now)
  const [today = [now, now], yesterday = today] = days.toReversed()
  const upToNow = Math.ceil((now + 1 - today[0]) / TEN_MINUTES_MS) * TEN_MINUTES_MS
  const sameTime = Math.min(yesterday[0] + upToNow, yesterday[1])
  const spans: Span[] = [...days, [yesterday[0], sameTime]]
  const [state, slots, subscriptions, cost] = await Promise.all([
    db.selectFrom('site_state').select('counted_since').executeTakeFirstOrThrow(),
    readCounts(db, { series: 'site', resolution: 'ten_minutes', from: spans[0]?.[0] ?? now }),
    countSubscriptions(spans),
    readSiteCost(db, now),
  ])
  const since = state.counted_since === null ? now : Date.parse(state.counted_since)
  const sums = spans.map(() => new Map<string, number>())
  for (const { at, key, count } of slots) {
    const time = Date.parse(at)
    spans.forEach(([from, to], index) => {
      if (time >= from && time < to) sums[index]?.set(key, (sums[index]?.get(key) ?? 0) + count)
    })
  }
  const figure = (known: number, count: (index: number) => number | null): TodayFigure => {
    // Of the day in which counting began, only today's part is told: yesterday's would look like a whole one.
    const values = spans.map(([from, to], index) => (from >= known || to === today[1] ? count(index) : null))
    const [before = null] = values.splice(DAYS)
    const last = values.at(-1) ?? null
    return {
      ...(last === null ? {} : { today: last }),
      ...(before === null ? {} : { yesterday: before }),
      days: values,
    }
  }
  const counted = (...keys: SeriesKeys['site'][]) =>
    figure(since, (index) =>
      // Below zero only until another process has written what it counted.
      Math.max(
        0,
        keys.reduce((sum, key) => sum + (sums[index]?.get(key) ?? 0), 0),
      ),
    )
  const clicks = (name: 'lead' | 'contact') =>
    figure(since, (index) => {
      const count = sums[index]?.get(`conversion:${name}`) ?? 0
      return count > 0 || (sums[index]?.get('told') ?? 0) > 0 ? count : null
    })
  const first = subscriptions.first === null ? now : Date.parse(subscriptions.first)
  return {
    until: new Date(now).toISOString(),
    yesterday_until: new Date(sameTime).toISOString(),
    dates: days.map(([from]) => siteDate(from)),
    counted_since: since > (days[0]?.[0] ?? now) ? new Date(since).toISOString() : null,
    choices: counted(...CHOICES.map((choice) => `choice:${choice}` as const)),
    accepted: counted('choice:accepted'),
    refused: counted('choice:refused'),
    lead: clicks('lead'),
    contact: clicks('contact'),
    ...(cost === null ? {} : { cost }),
    // Stored from the first day on: whatever is older than both was before the site.
    subscriptions: figure(
      startOfSiteDay(Math.min(first, since)),
      (index) => subscriptions.counts[index] ?? 0,
    ),
  }
}

/** Seven of the site's days, oldest first. */
function lastDays(now: number): Span[] {
  const starts = [startOfSiteDay(now)]
  // Twelve hours before a day's beginning is the day before, however clocks are moved.
  while (starts.length < DAYS) starts.unshift(startOfSiteDay((starts[0] ?? now) - 12 * HOUR_MS))
  return starts.map((start) => [start, nextSiteDay(start)] as const)
}
