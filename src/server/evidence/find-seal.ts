import type { EvidenceSeal } from '#contract/consent.ts'
import type { Db } from '../db/database.ts'
import { toSeal } from './seal-hash.ts'

export async function findSeal(db: Db, sequence: number): Promise<EvidenceSeal | undefined> {
  const row = await db
    .selectFrom('consent_seals')
    .selectAll()
    .where('sequence', '=', sequence)
    .executeTakeFirst()
  return row && toSeal(row)
}
