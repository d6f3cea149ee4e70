import type { FoundRecord } from '#contract/consent.ts'
import { parseConsentCode } from '#contract/consent-code.ts'
import type { Db } from '../db/database.ts'
import { findSealOf } from './find-seal-of.ts'
import { toRecord } from './to-record.ts'

/** A visitor makes a few choices; whoever forges thousands under one id does not make us read them. */
const MAX_FOUND = 50

/** The choices of one browser by its code or its whole id, newest first; null when the text is no code. */
export async function findRecordsByCode(db: Db, code: string): Promise<FoundRecord[] | null> {
  const range = parseConsentCode(code)
  if (range === null) return null
  const rows = await db
    .selectFrom('consent_records')
    .leftJoin('consent_leaves', 'consent_leaves.position', 'consent_records.leaf_position')
    .selectAll('consent_records')
    .select('consent_leaves.hash')
    .where('consent_id', '>=', range.from)
    .where('consent_id', '<=', range.to)
    .orderBy('consent_id')
    .orderBy('created_at', 'desc')
    .limit(MAX_FOUND)
    .execute()
  return Promise.all(
    rows.map(async ({ leaf_position: position, hash, ...row }) => {
      const seal = position === null ? undefined : await findSealOf(db, position)
      return {
        record: toRecord(row),
        leaf:
          position === null || hash === null || seal === undefined
            ? null
            : { position, hash, seal: seal.sequence },
      }
    }),
  )
}
