import type { FoundRecord } from '#contract/consent.ts'
import { DAY_MS } from '#contract/durations.ts'
import type { Db } from '../db/database.ts'
import { inBatches } from '../db/sweep.ts'
import { change } from '../db/transactions/change.ts'
import { findCheckpointOf } from './checkpoints.ts'
import { toRecord } from './proof/canonical.ts'

/** Enough for any visitor. Forged records beyond this number are not read. */
const MAX_FOUND = 50

/** The choices of one browser by its code or whole id, newest first; null if the text is no code. */
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
      const checkpoint = position === null ? undefined : await findCheckpointOf(db, position)
      return {
        record: toRecord(row),
        leaf:
          position === null || hash === null || checkpoint === undefined
            ? null
            : { position, hash, seal: checkpoint.sequence },
      }
    }),
  )
}

/** Deletes records past their retention. Their leaves stay, so that all other proofs remain valid. */
export async function eraseRecords(
  db: Db,
  { consentDays }: { consentDays: number },
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ consent_records: number }> {
  const before = new Date(now - consentDays * DAY_MS).toISOString()
  const consent_records = await inBatches(
    (rows) =>
      change(db, async (trx) => {
        const erased = await trx
          .deleteFrom('consent_records')
          .where('id', 'in', (eb) =>
            eb.selectFrom('consent_records').select('id').where('created_at', '<=', before).limit(rows),
          )
          .returning('leaf_position')
          .execute()
        const positions = erased.flatMap(({ leaf_position: position }) =>
          position === null ? [] : [position],
        )
        if (positions.length > 0)
          await trx
            .updateTable('consent_leaves')
            .set({ erased_at: new Date(now).toISOString() })
            .where('position', 'in', positions)
            .execute()
        return BigInt(erased.length)
      }),
    signal,
  )
  return { consent_records }
}

/**
 * The code that a visitor sees: twelve digits of the random id, enough to find the choice and too few to act with it.
 */
export function consentCode(consentId: string): string {
  return consentId.slice(0, 13).toUpperCase()
}

/** The lowest and highest id that a code can mean; null if it is no code. A whole id is a code as well. */
function parseConsentCode(code: string): { from: string; to: string } | null {
  const digits = code.trim().toLowerCase().replaceAll(/[\s-]/g, '')
  if (!/^(?:[0-9a-f]{12}|[0-9a-f]{32})$/.test(digits)) return null
  return { from: toId(digits.padEnd(32, '0')), to: toId(digits.padEnd(32, 'f')) }
}

function toId(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
