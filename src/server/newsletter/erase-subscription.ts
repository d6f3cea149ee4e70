import { sql } from 'kysely'
import { normalizeEmail } from '#contract/email.ts'
import { type AuditEntry, recordAudit } from '../db/audit.ts'
import { change } from '../db/change.ts'
import { engineOf } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import { forgetEmail } from '../db/forget-email.ts'

export interface Erased {
  found: boolean
  /** The webhook has the address too, and must be told by other means. */
  wasDelivered: boolean
}

const OPERATOR = { actor_id: null, actor: 'command line' }

/** Forgets a person (LGPD, art. 18, VI). The trail keeps that somebody was erased, and not who. */
export async function eraseSubscription(
  db: Db,
  email: string,
  now: Date,
  actor: Pick<AuditEntry, 'actor' | 'actor_id'> = OPERATOR,
): Promise<Erased> {
  const embedded = engineOf(db) === 'sqlite'
  // SQLite only unlinks deleted rows by default: their bytes would stay readable in the file. It stays on: whoever set it
  // back would do so under another erasure that is about to delete.
  if (embedded) await sql`pragma secure_delete = on`.execute(db)
  const erased = await change(db, async (trx) => {
    const row = await trx
      .deleteFrom('newsletter_subscriptions')
      .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', normalizeEmail(email)))
      .returning(['status', 'attempts'])
      .executeTakeFirst()
    await forgetEmail(trx, email)
    if (row === undefined) return { found: false, wasDelivered: false }
    await recordAudit(trx, { ...actor, action: 'newsletter.erase' }, now)
    return { found: true, wasDelivered: row.status === 'delivered' || row.attempts > 0 }
  })
  // The log beside the file still holds the page as it was.
  if (embedded && erased.found) await sql`pragma wal_checkpoint(truncate)`.execute(db)
  return erased
}
