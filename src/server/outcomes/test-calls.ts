import { randomUUID } from 'node:crypto'
import type { OutcomeResult, OutcomeTestCall } from '#contract/outcomes.ts'
import type { Db } from '../db/database.ts'
import { readable } from './read-outcome.ts'

/** As many as somebody reads while they write an integration. */
const KEPT = 50
const SHOWN = 20
/** More than all processes can add beside each other. */
const MOST_KEPT = 100_000

/** Keeps the last checked outcomes of test keys. Only texts of at most 64 visible characters are kept. */
export async function noteTestCalls(
  db: Db,
  items: readonly unknown[],
  results: readonly OutcomeResult[],
  now: number,
): Promise<void> {
  const first = Math.max(0, items.length - KEPT)
  const rows = results.slice(first).map(({ id, status, code, field }, index) => {
    const item = items[first + index]
    return {
      id: randomUUID(),
      // Items of one call keep their order.
      created_at: new Date(now + index).toISOString(),
      name: readable(item, 'name'),
      outcome_id: id,
      value: readable(item, 'value'),
      currency: readable(item, 'currency'),
      status,
      code: code ?? null,
      field: field ?? null,
    }
  })
  await db.insertInto('outcome_test_calls').values(rows).execute()
  await db
    .deleteFrom('outcome_test_calls')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('outcome_test_calls')
        .select('id')
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(MOST_KEPT)
        .offset(KEPT),
    )
    .execute()
}

/** Newest first. */
export async function listTestCalls(db: Db): Promise<OutcomeTestCall[]> {
  const rows = await db
    .selectFrom('outcome_test_calls')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(SHOWN)
    .execute()
  return rows.map(({ created_at, ...row }) => ({ ...row, at: created_at }))
}
