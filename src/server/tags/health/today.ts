import { HOUR_MS } from '#contract/durations.ts'
import { nextSiteDay, siteDate, startOfSiteDay } from '#contract/site.ts'
import type { Today, TodayFigure } from '#contract/visit-results.ts'
import type { Db } from '#server/db/database.ts'
import { readCounts } from '#server/stats/counts.ts'
import { CHOICES, type SeriesKeys, TEN_MINUTES_MS } from '#server/stats/series.ts'
import { readVisitsSince } from '#server/visits/report.ts'
import { readSiteCost } from './cost.ts'

const DAYS = 7

/** From one time up to another. */
type Span = readonly [from: number, to: number]

export interface TodayDeps {
  db: Db
  /** False: nothing is known of visits and clicks. */
  countsVisits: boolean
  /** Subscriptions in each span, and the time of the first one ever. */
  countSubscriptions: (spans: readonly Span[]) => Promise<{ counts: number[]; first: string | null }>
}

/** The site's day so far and seven days, each also up to the last ten minutes that have ended. */
export async function readToday(deps: TodayDeps, now = Date.now()): Promise<Today> {
  const { db, countsVisits, countSubscriptions } = deps
  const days = lastDays(now)
  const [today = [now, now]] = days.toReversed()
  const upToNow = Math.floor((now - today[0]) / TEN_MINUTES_MS) * TEN_MINUTES_MS
  const parts = days.map(([from, to]) => [from, Math.min(from + upToNow, to)] as const)
  const spans: Span[] = [...days, ...parts]
  const from = spans[0]?.[0] ?? now
  const [state, choices, visits, visitsSince, subscriptions, cost] = await Promise.all([
    db.selectFrom('site_state').select('counted_since').executeTakeFirstOrThrow(),
    readCounts(db, { series: 'site', resolution: 'ten_minutes', from }),
    countsVisits ? readCounts(db, { series: 'visit', resolution: 'ten_minutes', from }) : [],
    readVisitsSince(db),
    countSubscriptions(spans),
    readSiteCost(db, now),
  ])
  const timeOf = (moment: string | null) => (moment === null ? now : Date.parse(moment))
  const since = timeOf(state.counted_since)
  const sums = spans.map(() => new Map<string, number>())
  for (const { at, key, count } of [...choices, ...visits]) {
    const time = Date.parse(at)
    spans.forEach(([start, end], index) => {
      if (time >= start && time < end) sums[index]?.set(key, (sums[index]?.get(key) ?? 0) + count)
    })
  }
  const figure = (known: number, count: (index: number) => number): TodayFigure => {
    // For the day on which counting began, only today's part is returned: as yesterday it would look like a whole day.
    const values = spans.map(([start], index) => (start >= known || start === today[0] ? count(index) : null))
    const untilNow = values.splice(DAYS)
    const before = untilNow.at(-2) ?? null
    return {
      today: count(DAYS - 1),
      ...(before === null ? {} : { yesterday: before }),
      days: values,
      days_until: untilNow,
    }
  }
  const sumOf = (index: number, keys: readonly (SeriesKeys['site'] | SeriesKeys['visit'])[]) =>
    // Below zero only until another process has written its counts.
    Math.max(
      0,
      keys.reduce((sum, key) => sum + (sums[index]?.get(key) ?? 0), 0),
    )
  const chosen = (...keys: SeriesKeys['site'][]) => figure(since, (index) => sumOf(index, keys))
  const visited = (key: SeriesKeys['visit']) =>
    countsVisits
      ? figure(timeOf(visitsSince), (index) => sumOf(index, [key]))
      : { days: days.map(() => null), days_until: days.map(() => null) }
  return {
    until: new Date(now).toISOString(),
    compared_until: upToNow === 0 ? null : new Date(today[0] + upToNow).toISOString(),
    dates: days.map(([start]) => siteDate(start)),
    counted_since: since > from ? new Date(since).toISOString() : null,
    counts_visits: countsVisits,
    visits: visited('visits'),
    visitors: visited('visitors'),
    choices: chosen(...CHOICES.map((choice) => `choice:${choice}` as const)),
    accepted: chosen('choice:accepted'),
    refused: chosen('choice:refused'),
    lead: visited('click:lead'),
    contact: visited('click:contact'),
    ...(cost === null ? {} : { cost }),
    // Subscriptions are stored from the first day on: spans before the first one were before the site.
    subscriptions: figure(
      startOfSiteDay(Math.min(timeOf(subscriptions.first), since)),
      (index) => subscriptions.counts[index] ?? 0,
    ),
  }
}

/** Seven of the site's days, oldest first. */
function lastDays(now: number): Span[] {
  const starts = [startOfSiteDay(now)]
  // Twelve hours before the start of a day is the day before, also when clocks change.
  while (starts.length < DAYS) starts.unshift(startOfSiteDay((starts[0] ?? now) - 12 * HOUR_MS))
  return starts.map((start) => [start, nextSiteDay(start)] as const)
}
