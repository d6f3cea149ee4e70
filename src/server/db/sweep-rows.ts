import type { Db } from './database.ts'
import { inSteps } from './in-steps.ts'

type SweptTable =
  | 'audit_events'
  | 'auth_logins'
  | 'auth_challenges'
  | 'auth_link_codes'
  | 'auth_one_time_tokens'
  | 'auth_spent_challenges'
type SweptTime = 'created_at' | 'expires_at' | 'last_used_at'

/** Deletes, in steps, the rows whose time is not after `upTo`, and gives their number. */
export async function sweepRows(
  db: Db,
  { table, time, upTo }: { table: SweptTable; time: SweptTime; upTo: string },
  signal?: AbortSignal,
): Promise<number> {
  const { ref } = db.dynamic
  return inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where('id', 'in', (eb) => eb.selectFrom(table).select('id').where(ref(time), '<=', upTo).limit(rows))
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
}
