import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { AppError } from '#server/http/app-error.ts'
import type { SessionRow } from '../access/require-user.ts'
import type { AuthContext } from '../auth-context.ts'
import { countRecoveryCodes } from './count-recovery-codes.ts'
import { raiseSession } from './raise-session.ts'
import { hashRecoveryCode } from './recovery-code.ts'

/** Counts as a second factor: the session is raised to aal2. Gives the number of codes that are left. */
export async function spendRecoveryCode(
  context: AuthContext,
  user: { id: string; email: string },
  session: SessionRow,
  code: string,
): Promise<number> {
  const { db, codeSecret } = context
  const hash = hashRecoveryCode(codeSecret, user.id, code)
  await change(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('auth_recovery_codes')
      .set({ used_at: new Date().toISOString() })
      .where('user_id', '=', user.id)
      .where('code_hash', '=', hash)
      .where('used_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n)
      throw new AppError(422, 'recovery_code_invalid', 'The recovery code is wrong or was used already')
    await raiseSession(context, trx, session, 'recovery_code')
    await recordAudit(trx, {
      actor_id: user.id,
      actor: user.email,
      action: 'auth.recovery_code_used',
      subject: user.id,
    })
  })
  return countRecoveryCodes(db, user.id)
}
