import type { EvidenceParties } from '#contract/consent.ts'
import type { Db } from '../db/database.ts'

/** Who was behind the tag sets that are named by these hashes. */
export async function readParties(db: Db, hashes: readonly string[]): Promise<EvidenceParties[]> {
  if (hashes.length === 0) return []
  const rows = await db
    .selectFrom('consent_parties')
    .select(['hash', 'content', 'first_served_at'])
    .where('hash', 'in', hashes)
    .orderBy('first_served_at')
    .orderBy('hash')
    .execute()
  return rows.map(({ content, ...row }) => ({
    '@type': 'ConsentParties',
    ...row,
    content: JSON.parse(content),
  }))
}
