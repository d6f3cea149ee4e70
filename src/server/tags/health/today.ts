import { nextSiteDay, siteDate, startOfSiteDay } from '#contract/site.ts'
import type { Today, TodayFigure } from '#contract/visit-results.ts'
import type { Db } from '#server/db/database.ts'
import { CHOICES, type CountSubject, SLOT_MS } from '#server/stats/site-counts.ts'
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
  const upToNow = Math.ceil((now + 1 - today[0]) / SLOT_MS) * SLOT_MS
  const sameTime = Math.min(yesterday[0] + upToNow, yesterday[1])
  const spans: Span[] = [...days, [yesterday[0], sameTime]]
  const [state, slots, subscriptions, cost] = await Promise.all([
    db.selectFrom('site_state').select('counted_since').executeTakeFirstOrThrow(),
    db
      .selectFrom('site_counts')
      .select(['slot', 'subject', 'count'])
      .where('slot', '>=', new Date(spans[0]?.[0] ?? now).toISOString())
      .where('subject', 'not like', 'cost:%')
      .execute(),
    countSubscriptions(spans),
    readSiteCost(db, now),
  ])
  const since = state.counted_since === null ? now : Date.parse(state.counted_since)
  const sums = spans.map(() => new Map<string, number>())
  for (const { slot, subject, count } of slots) {
    const time = Date.parse(slot)
    spans.forEach(([from, to], index) => {
      if (time >= from && time < to) sums[index]?.set(subject, (sums[index]?.get(subject) ?? 0) + count)
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
  const counted = (...subjects: CountSubject[]) =>
    figure(since, (index) =>
      // Below zero only until another process has written what it counted.
      Math.max(
        0,
        subjects.reduce((sum, subject) => sum + (sums[index]?.get(subject) ?? 0), 0),
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
