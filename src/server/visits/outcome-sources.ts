import { sql } from 'kysely'
import { currencyDigits, toDecimal } from '#contract/currencies.ts'
import type { Channel, OutcomeTotal } from '#contract/visit-report.ts'
import type { Db } from '../db/database.ts'
import type { OutcomeCampaignValues } from '../db/schema/outcomes.ts'
import { pipeline } from '../db/transactions/change.ts'
import { addCounts, shardOf, sumCounts } from '../stats/counts.ts'
import { startOf } from '../stats/series.ts'

/** An outcome that is tied to a visit, and where the visit came from. */
export interface SourcedOutcome {
  at: number
  channel: Channel
  campaign: string
  /** In the currency's smallest unit. */
  value: { currency: string; amount: number } | null
}

/** Counts outcomes by channel and campaign. Nothing leads from a count to a visit or an outcome. */
export async function addOutcomeSources(trx: Db, outcomes: readonly SourcedOutcome[]): Promise<void> {
  await addCounts(
    trx,
    outcomes.map(({ at, channel, campaign }) => ({
      series: 'outcome.source',
      key: JSON.stringify([channel, campaign]) as `[${string}]`,
      at,
    })),
  )
  const sums = new Map<string, OutcomeCampaignValues>()
  for (const { at, channel, campaign, value } of outcomes) {
    if (value === null) continue
    const { currency, amount } = value
    const day = new Date(startOf('day', at)).toISOString()
    const key = JSON.stringify([day, channel, campaign, currency])
    const sum = sums.get(key)
    if (sum === undefined)
      sums.set(key, { at: day, channel, campaign, currency, shard: shardOf(trx), amount })
    else sum.amount += amount
  }
  if (sums.size === 0) return
  // One order everywhere, to avoid deadlocks.
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  await pipeline(
    trx,
    trx
      .insertInto('outcome_campaign_values')
      .values(sorted)
      .onConflict((conflict) =>
        conflict.columns(['at', 'channel', 'campaign', 'currency', 'shard']).doUpdateSet({
          amount: sql<number>`outcome_campaign_values.amount + excluded.amount`,
        }),
      ),
  )
}

export interface OutcomeSource {
  channel: string
  campaign: string
  count: number
  values: { currency: string; amount: bigint }[]
}

/** Outcomes of some days by channel and campaign. */
export async function readOutcomeSources(db: Db, from: number, to: number): Promise<OutcomeSource[]> {
  const [counts, sums] = await Promise.all([
    sumCounts(db, { series: 'outcome.source', resolution: 'day', subject: '', from, to }),
    db
      .selectFrom('outcome_campaign_values')
      .select(['channel', 'campaign', 'currency'])
      // As text: a sum may be larger than a number can hold exactly.
      .select(sql<string>`cast(sum(amount) as text)`.as('amount'))
      .where('at', '>=', new Date(from).toISOString())
      .where('at', '<', new Date(to).toISOString())
      .groupBy(['channel', 'campaign', 'currency'])
      .execute(),
  ])
  const bySource = Map.groupBy(sums, ({ channel, campaign }) => JSON.stringify([channel, campaign]))
  return counts.map(({ key, count }) => {
    const [channel = '', campaign = ''] = JSON.parse(key) as string[]
    const values = (bySource.get(JSON.stringify([channel, campaign])) ?? []).map(({ currency, amount }) => ({
      currency,
      amount: BigInt(amount),
    }))
    return { channel, campaign, count, values }
  })
}

/** One total for each currency: amounts of two currencies are never added. */
export function addValues(sources: readonly OutcomeSource[]): OutcomeTotal[] {
  const values = sources.flatMap((source) => source.values)
  return [...Map.groupBy(values, ({ currency }) => currency)]
    .map(([currency, members]) => ({
      currency,
      total: toDecimal(
        members.reduce((total, { amount }) => total + amount, 0n),
        currencyDigits(currency) ?? 0,
      ),
    }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
}
