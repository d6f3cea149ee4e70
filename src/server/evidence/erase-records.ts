import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'
import { inSteps } from '../db/in-steps.ts'

const DAY_MS = 86_400_000

/** Deletes records past the time in which they are proof. Their leaves stay, so that every other proof does. */
export async function eraseRecords(
  db: Db,
  { consentDays }: { consentDays: number },
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ consent_records: number }> {
  const before = new Date(now - consentDays * DAY_MS).toISOString()
  const consent_records = await inSteps(
    (rows) =>
      change(db, async (trx) => {
        const erased = await trx
          .deleteFrom('consent_records')
          .where('id', 'in', (eb) =>
            eb.selectFrom('consent_records').select('id').where('created_at', '<', before).limit(rows),
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
