import type { EvidenceSeal } from '#contract/consent-evidence.ts'
import type { Db } from '../db/database.ts'
import { toSeal } from './seal-hash.ts'

interface SealQuery {
  /** Only those before this one. */
  before?: number | undefined
  limit: number
}

/** Newest first. */
export async function listSeals(db: Db, { before, limit }: SealQuery): Promise<EvidenceSeal[]> {
  const rows = await db
    .selectFrom('consent_seals')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('sequence', '<', before ?? 0))
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toSeal)
}
