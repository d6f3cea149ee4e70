import type { SessionRow } from '#server/auth/access/require-user.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import type { Db } from '#server/db/database.ts'

/**
 * Who has a factor that counts adds another only after having shown it. Asked when one is enrolled and again when its
 * first code would make it count, with the person's row locked: in between, another factor may have begun to count, and
 * the session may have been lowered. `factorId` is the one that is being shown.
 */
export async function requireAal2ToEnroll(trx: Db, session: SessionRow, factorId?: string): Promise<void> {
  const verified = await trx
    .selectFrom('auth_factors')
    .select('id')
    .where('user_id', '=', session.user_id)
    .where('status', '=', 'verified')
    .execute()
  if (verified.length === 0 || verified.some(({ id }) => id === factorId)) return
  const current = await trx
    .selectFrom('auth_sessions')
    .select('aal')
    .where('id', '=', session.id)
    .executeTakeFirst()
  if (current?.aal !== 'aal2')
    throw authError(403, 'insufficient_aal', 'AAL2 required to enroll a new factor')
}
