import { SEAL_WAITING_MAX, type SealState } from '#contract/consent.ts'
import type { Db } from '../db/database.ts'
import { listSeals } from './list-seals.ts'

export async function readSealState(db: Db): Promise<SealState> {
  const [last] = await listSeals(db, { limit: 1 })
  const waiting = await db
    .selectFrom('consent_records')
    .select('created_at')
    .where('leaf_position', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(SEAL_WAITING_MAX)
    .execute()
  return {
    last: last ?? null,
    waiting: waiting.length,
    oldest_waiting_at: waiting[0]?.created_at ?? null,
  }
}
