import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { AuthContext } from '../auth-context.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { findUserByEmail } from '../users/find-user.ts'

/**
 * For operators, when a phone is lost. Gives the number of factors that were removed; null when nobody has that
 * address.
 */
export async function removeFactors(context: AuthContext, email: string): Promise<number | null> {
  const { db } = context
  const user = await findUserByEmail(db, email)
  if (user === undefined) return null
  const verified = await change(db, async (trx) => {
    const removed = await trx
      .deleteFrom('auth_factors')
      .where('user_id', '=', user.id)
      .returning(['id', 'status'])
      .execute()
    const passkeys = await trx
      .deleteFrom('auth_passkeys')
      .where('user_id', '=', user.id)
      .returning('id')
      .execute()
    await trx.deleteFrom('auth_recovery_codes').where('user_id', '=', user.id).execute()
    await endSessions(trx, user.id)
    await recordAudit(trx, {
      actor_id: null,
      actor: 'command line',
      action: 'auth.factors_removed',
      subject: user.id,
      before: { factors: removed, passkeys },
    })
    return removed.filter((factor) => factor.status === 'verified').length
  })
  if (verified > 0) sendNotice(context, { user, kind: 'factor-removed', by: 'operator' })
  return verified
}
