import type { EvidenceSeal } from '#contract/consent.ts'
import type { Db } from '../db/database.ts'
import { toSeal } from './seal-hash.ts'

/** Of the column's type. */
const MAX_INTEGER = 2 ** 31 - 1

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
    .where('sequence', '<', before ?? MAX_INTEGER)
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toSeal)
}
