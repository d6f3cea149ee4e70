import type { SessionRow } from '#server/auth/access/require-user.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import type { Db } from '#server/db/database.ts'

/** Who has a second factor adds and removes ways to sign in only after having shown it. */
export async function requireAal2ForPasskeys(db: Db, session: SessionRow): Promise<void> {
  const verified = await db
    .selectFrom('auth_factors')
    .select('id')
    .where('user_id', '=', session.user_id)
    .where('status', '=', 'verified')
    .executeTakeFirst()
  if (verified === undefined) return
  const current = await db
    .selectFrom('auth_sessions')
    .select('aal')
    .where('id', '=', session.id)
    .executeTakeFirst()
  if (current?.aal !== 'aal2')
    throw authError(
      403,
      'insufficient_aal',
      'AAL2 session is required to manage passkeys when MFA is enabled',
    )
}
