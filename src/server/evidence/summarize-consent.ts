import type { ConsentCount, ConsentState } from '#contract/consent.ts'
import type { ConsentAction } from '#contract/consent-choice.ts'
import type { Db } from '../db/database.ts'

/** Sealed choices by day of the site, both days included (`2026-11-16`). Erasure does not change them. */
export async function summarizeConsent(
  db: Db,
  { from, to }: { from: string; to: string },
): Promise<ConsentCount[]> {
  const rows = await db
    .selectFrom('consent_counts')
    .selectAll()
    .where('day', '>=', from)
    .where('day', '<=', to)
    .orderBy('day')
    .orderBy('text_version')
    .orderBy('action')
    .orderBy('choice')
    .execute()
  return rows.map((row) => ({
    ...row,
    action: row.action as ConsentAction,
    choice: row.choice as ConsentState,
  }))
}
