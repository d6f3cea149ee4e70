import type { EvidenceSeal } from '#contract/consent.ts'
import type { Db } from '../db/database.ts'
import { toSeal } from './seal-hash.ts'

/** The seal in which a leaf came; undefined until there is one. */
export async function findSealOf(db: Db, position: number): Promise<EvidenceSeal | undefined> {
  const row = await db
    .selectFrom('consent_seals')
    .selectAll()
    .where('tree_size', '>', position)
    .orderBy('tree_size')
    .limit(1)
    .executeTakeFirst()
  return row && toSeal(row)
}
