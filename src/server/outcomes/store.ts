import { sql } from 'kysely'
import type { OutcomeMode } from '#contract/outcomes.ts'
import type { planDeliveries } from '../conversions/outcome-deliveries.ts'
import type { Db } from '../db/database.ts'
import { asTable } from '../db/dialect.ts'
import type { OutcomeValues } from '../db/schema/outcomes.ts'
import { change, pipeline } from '../db/transactions/change.ts'
import { GroupWriter } from '../db/transactions/group-writer.ts'
import { insertEvents } from '../outbox/enqueue.ts'
import { addCounts, type Count, shardOf } from '../stats/counts.ts'
import { startOf } from '../stats/series.ts'
import { addOutcomeSources, type SourcedOutcome } from '../visits/outcome-sources.ts'
import type { Outcome } from './read-outcome.ts'

/** An outcome that is ready to be stored. */
export interface NewOutcome {
  mode: OutcomeMode
  outcome: Outcome
  /** Its visit is known, and its visitor agreed. */
  isTied: boolean
  /** Where the visit came from; null if it is not tied to one. */
  source: Pick<SourcedOutcome, 'channel' | 'campaign'> | null
  /** What destinations get of it. */
  deliveries: ReturnType<typeof planDeliveries> | null
}

/** What became of it. The first with an id is the one that counts. */
export type Stored = 'new' | 'duplicate' | 'conflict'

/**
 * Stores outcomes of many calls in one transaction: their ids, counts, values and deliveries, so that each counts
 * exactly once whichever process gets it, and however often.
 */
export class OutcomeWriter {
  readonly #writer: GroupWriter<NewOutcome, ReadonlyMap<NewOutcome, Stored>>

  constructor(db: Db) {
    this.#writer = new GroupWriter((rows) => change(db, (trx) => storeOutcomes(trx, rows, Date.now())))
  }

  /** Resolves when everything is durable. */
  write(rows: readonly NewOutcome[]): Promise<ReadonlyMap<NewOutcome, Stored>> {
    return this.#writer.write(rows)
  }
}

const ID_COLUMNS = { mode: 'text', id: 'text', content_hash: 'text', received_at: 'timestamptz' } as const

async function storeOutcomes(
  trx: Db,
  rows: readonly NewOutcome[],
  now: number,
): Promise<ReadonlyMap<NewOutcome, Stored>> {
  const firsts = new Map<string, NewOutcome>()
  for (const row of rows) if (!firsts.has(keyOf(row))) firsts.set(keyOf(row), row)
  // One order everywhere, to avoid deadlocks.
  const sorted = [...firsts].sort(([a], [b]) => (a < b ? -1 : 1))
  const inserted = await insertIds(
    trx,
    sorted.map(([, row]) => row),
    now,
  )
  const hashes = await readHashes(
    trx,
    sorted.filter(([key]) => !inserted.has(key)).map(([, row]) => row),
  )
  const results = new Map<NewOutcome, Stored>()
  for (const row of rows) {
    const key = keyOf(row)
    const first = firsts.get(key)
    const stored = inserted.has(key) ? first?.outcome.contentHash : hashes.get(key)
    if (inserted.has(key) && row === first) results.set(row, 'new')
    else results.set(row, stored === row.outcome.contentHash ? 'duplicate' : 'conflict')
  }
  const added = [...results].filter(([, stored]) => stored === 'new').map(([row]) => row)
  await insertEvents(
    trx,
    added.flatMap(({ deliveries }) => deliveries?.rows ?? []),
  )
  await addCounts(trx, [
    ...countsOf(results, now),
    ...added.flatMap(({ deliveries }) => deliveries?.counts ?? []),
  ])
  await addOutcomeSources(
    trx,
    added.flatMap(({ mode, source, outcome: { at, value } }) =>
      mode === 'test' || source === null ? [] : [{ ...source, at, value }],
    ),
  )
  await addValues(trx, added)
  return results
}

const keyOf = ({ mode, outcome }: NewOutcome) => `${mode} ${outcome.id}`

/** The keys of ids that nobody had sent. */
async function insertIds(trx: Db, rows: readonly NewOutcome[], now: number): Promise<ReadonlySet<string>> {
  const received_at = new Date(now).toISOString()
  const inserted = await trx
    .insertInto('outcomes')
    .columns(['mode', 'id', 'content_hash', 'received_at'])
    // Without a condition SQLite would parse "on conflict" as that of a join.
    .expression((eb) =>
      eb
        .selectFrom(
          asTable(
            trx,
            ID_COLUMNS,
            rows.map(({ mode, outcome: { id, contentHash } }) => ({
              mode,
              id,
              content_hash: contentHash,
              received_at,
            })),
          ),
        )
        .selectAll()
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.columns(['mode', 'id']).doNothing())
    .returning(['mode', 'id'])
    .execute()
  return new Set(inserted.map(({ mode, id }) => `${mode} ${id}`))
}

async function readHashes(trx: Db, rows: readonly NewOutcome[]): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>()
  for (const [mode, members] of Map.groupBy(rows, (row) => row.mode)) {
    const stored = await trx
      .selectFrom('outcomes')
      .select(['id', 'content_hash'])
      .where('mode', '=', mode)
      .where(
        'id',
        'in',
        members.map(({ outcome }) => outcome.id),
      )
      .execute()
    for (const { id, content_hash } of stored) hashes.set(`${mode} ${id}`, content_hash)
  }
  return hashes
}

function countsOf(results: ReadonlyMap<NewOutcome, Stored>, now: number): Count[] {
  return [...results].map(([{ mode, outcome, isTied }, stored]) => {
    const counted = { series: 'outcome', subject: outcome.name } as const
    if (stored === 'new')
      return { ...counted, key: `${mode} ${isTied ? 'tied' : 'untied'}` as const, at: outcome.at }
    return { ...counted, key: `${mode} ${stored === 'conflict' ? 'refused' : 'duplicate'}` as const, at: now }
  })
}

/** Exact: whole numbers of the currency's smallest unit. */
async function addValues(trx: Db, rows: readonly NewOutcome[]): Promise<void> {
  const sums = new Map<string, OutcomeValues>()
  for (const { mode, isTied, outcome } of rows) {
    const { name, value } = outcome
    if (value === null) continue
    const row: OutcomeValues = {
      at: new Date(startOf('day', outcome.at)).toISOString(),
      name,
      mode,
      currency: value.currency,
      tie: isTied ? 'tied' : 'untied',
      shard: shardOf(trx),
      amount: value.amount,
    }
    const key = [row.at, name, mode, row.currency, row.tie].join(' ')
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, row)
    else sum.amount += row.amount
  }
  if (sums.size === 0) return
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  await pipeline(
    trx,
    trx
      .insertInto('outcome_values')
      .values(sorted)
      .onConflict((conflict) =>
        conflict.columns(['at', 'name', 'mode', 'currency', 'tie', 'shard']).doUpdateSet({
          amount: sql<number>`outcome_values.amount + excluded.amount`,
        }),
      ),
  )
}
