import { sql } from 'kysely'
import { currencyDigits, toDecimal } from '#contract/currencies.ts'
import type { OutcomeMode, OutcomeReport, OutcomeValue } from '#contract/outcomes.ts'
import { nextSiteDay, siteDate, startOfSiteDate, startOfSiteDay } from '#contract/site.ts'
import type { Db } from '../db/database.ts'
import { OUTCOMES } from '../http/limits/limits.ts'
import { sumCounts } from '../stats/counts.ts'
import { readDestinations } from './destinations.ts'
import { listKeys } from './keys.ts'
import { listNames } from './names.ts'
import { listTestCalls } from './test-calls.ts'

interface Wanted {
  mode: OutcomeMode
  /** Until now, with today. */
  days: number
}

/** What "Resultados" shows: counts and values of some days, by name, and the keys. */
export async function readReport(
  db: Db,
  { mode, days }: Wanted,
  url: string,
  now = Date.now(),
): Promise<OutcomeReport> {
  const from = firstDay(days, now)
  const to = nextSiteDay(startOfSiteDay(now))
  const [names, counts, sums, keys, testCalls, destinations] = await Promise.all([
    listNames(db),
    sumCounts(db, { series: 'outcome', resolution: 'day', from, to }),
    readValues(db, mode, from, to),
    listKeys(db),
    mode === 'test' ? listTestCalls(db) : [],
    readDestinations(db, mode, from, to),
  ])
  const count = (what: 'tied' | 'untied' | 'duplicate' | 'refused', name?: string) =>
    counts
      .filter(({ key, subject }) => key === `${mode} ${what}` && (name === undefined || subject === name))
      .reduce((sum, each) => sum + each.count, 0)
  const figures = (name?: string) => ({
    count: count('tied', name) + count('untied', name),
    tied: count('tied', name),
    values: toValues(sums.filter((sum) => name === undefined || sum.name === name)),
  })
  return {
    mode,
    from: siteDate(from),
    to: siteDate(now),
    totals: { ...figures(), duplicates: count('duplicate'), refused: count('refused') },
    rows: names.map(({ name, label }) => ({
      name,
      label,
      ...figures(name),
      deliveries: destinations.deliveriesOf(name, count('tied', name)),
    })),
    destinations: destinations.list,
    keys,
    max_keys: OUTCOMES.keys,
    test_calls: testCalls,
    url,
  }
}

function firstDay(days: number, now: number): number {
  const date = new Date(`${siteDate(now)}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() - days + 1)
  return startOfSiteDate(date.toISOString().slice(0, 10))
}

interface ValueSum {
  name: string
  currency: string
  tie: 'tied' | 'untied'
  /** As text: a sum may be larger than a number can hold exactly. */
  amount: string
}

function readValues(db: Db, mode: OutcomeMode, from: number, to: number): Promise<ValueSum[]> {
  return db
    .selectFrom('outcome_values')
    .select(['name', 'currency', 'tie', sql<string>`cast(sum(amount) as text)`.as('amount')])
    .where('mode', '=', mode)
    .where('at', '>=', new Date(from).toISOString())
    .where('at', '<', new Date(to).toISOString())
    .groupBy(['name', 'currency', 'tie'])
    .execute()
}

/** One total for each currency: amounts of two currencies are never added. */
function toValues(sums: readonly ValueSum[]): OutcomeValue[] {
  const add = (members: readonly ValueSum[]) =>
    members.reduce((total, { amount }) => total + BigInt(amount), 0n)
  return [...Map.groupBy(sums, ({ currency }) => currency)]
    .map(([currency, members]) => {
      const digits = currencyDigits(currency) ?? 0
      return {
        currency,
        total: toDecimal(add(members), digits),
        tied: toDecimal(add(members.filter(({ tie }) => tie === 'tied')), digits),
      }
    })
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
}
