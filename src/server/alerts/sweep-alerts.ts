import type { Db } from '../db/database.ts'
import { inSteps } from '../db/in-steps.ts'

const DAY_MS = 86_400_000
const KEPT_DAYS = 30

/** Mails that were sent, or given up, a month ago. */
export async function sweepAlerts(
  db: Db,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ alert_mails: number }> {
  const before = new Date(now - KEPT_DAYS * DAY_MS).toISOString()
  const alert_mails = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('alert_mails')
      .where('id', 'in', (eb) =>
        eb.selectFrom('alert_mails').select('id').where('due_at', '<', before).limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  return { alert_mails }
}
