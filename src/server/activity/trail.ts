import { randomUUID } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import type { Db } from '../db/database.ts'
import { inSteps, sweepRows } from '../db/sweep.ts'
import { afterCommit, post } from '../db/transactions/change.ts'

export interface AuditEntry {
  actor_id: string | null
  actor: string
  action: string
  subject?: string
  before?: unknown
  after?: unknown
}

/** Told of each entry that is durable; nobody listens unless metrics are asked for. */
export const AUDITED = channel('portico:audited')

/** Pass the transaction that makes the change, so that neither is there without the other. */
export async function recordAudit(db: Db, entry: AuditEntry, now = new Date()): Promise<void> {
  await post(
    db,
    db.insertInto('audit_events').values({
      id: randomUUID(),
      actor_id: entry.actor_id,
      actor: entry.actor,
      action: entry.action,
      subject: entry.subject ?? null,
      before: entry.before === undefined ? null : JSON.stringify(entry.before),
      after: entry.after === undefined ? null : JSON.stringify(entry.after),
      created_at: now.toISOString(),
    }),
  )
  if (AUDITED.hasSubscribers) afterCommit(db, () => AUDITED.publish(entry))
}

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
