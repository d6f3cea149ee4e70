import type { EvidenceRecord } from '#contract/consent.ts'
import { siteDate } from '#contract/site.ts'
import type { Db } from '../db/database.ts'

/** In the transaction that gives these records their leaves: each is counted as often as it is sealed, which is once. */
export async function countChoices(trx: Db, records: readonly EvidenceRecord[]): Promise<void> {
  const counts = new Map<string, { day: string; text_version: number; action: string; choice: string }[]>()
  for (const { recorded_at, notice, event, state } of records) {
    const row = {
      day: siteDate(Date.parse(recorded_at)),
      text_version: knownVersion(notice),
      action: event,
      choice: state,
    }
    const key = Object.values(row).join()
    counts.set(key, [...(counts.get(key) ?? []), row])
  }
  const rows = [...counts.values()].flatMap((same) =>
    same.slice(0, 1).map((row) => ({ ...row, count: same.length })),
  )
  await trx
    .insertInto('consent_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['day', 'text_version', 'action', 'choice']).doUpdateSet((eb) => ({
        count: eb('consent_counts.count', '+', eb.ref('excluded.count')),
      })),
    )
    .execute()
}

/** Anyone can name any version; those that were never served are counted together, as 0. Records without a hash are of the first. */
function knownVersion({ version, hash }: EvidenceRecord['notice']): number {
  const isKnown = hash === undefined ? version === 1 : hash !== null
  return isKnown ? version : 0
}
