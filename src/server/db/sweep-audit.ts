import type { Db } from './database.ts'
import { inSteps } from './in-steps.ts'
import { sweepRows } from './sweep-rows.ts'

const DAY_MS = 86_400_000

export interface AuditRetention {
  readonly auditDays: number
  readonly failedLoginDays: number
}

/** The trail is kept for as long as it may be asked for; a sign-in that failed names a person, and goes sooner. */
export async function sweepAudit(
  db: Db,
  { auditDays, failedLoginDays }: AuditRetention,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ audit_events: number }> {
  const before = (days: number) => new Date(now - days * DAY_MS).toISOString()
  const failedLogins = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('audit_events')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('audit_events')
          .select('id')
          .where('action', 'in', ['auth.sign_in_failed', 'auth.second_step_failed'])
          .where('created_at', '<', before(failedLoginDays))
          .limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  const old = await sweepRows(
    db,
    { table: 'audit_events', time: 'created_at', upTo: before(auditDays) },
    signal,
  )
  return { audit_events: failedLogins + old }
}
