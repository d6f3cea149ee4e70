import { type AuditEntry, recordAudit } from '../db/audit.ts'
import { change } from '../db/change.ts'
import type { Db } from '../db/database.ts'

/** An administrator or the operator says that the clock is right: rows may be removed by their age again. */
export async function confirmClock(
  db: Db,
  actor: Pick<AuditEntry, 'actor_id' | 'actor'>,
  now = new Date(),
): Promise<void> {
  await change(db, async (trx) => {
    await trx.updateTable('site_state').set({ clock_seen_at: now.toISOString() }).execute()
    await recordAudit(trx, { ...actor, action: 'clock.confirmed', after: { clock: now.toISOString() } }, now)
  })
}
