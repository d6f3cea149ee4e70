import { randomUUID } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import type { Db } from '../db/database.ts'
import { afterCommit, pipeline } from '../db/transactions/change.ts'

export interface AuditEntry {
  actor_id: string | null
  actor: string
  action: string
  subject?: string
  before?: unknown
  after?: unknown
}

/** Published for each stored entry; only metrics subscribe. */
export const AUDITED = channel('portico:audited')

/** Pass the transaction of the change, so that both are stored together. */
export async function recordAudit(db: Db, entry: AuditEntry, now = new Date()): Promise<void> {
  await pipeline(
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
