import { AppError } from '#server/http/app-error.ts'
import type { AuthContext } from '../auth-context.ts'
import { raiseSession } from '../sessions/session-level.ts'
import { changeAccount, type Who } from '../users/change-account.ts'
import { countRecoveryCodes } from './count-recovery-codes.ts'
import { hashRecoveryCode } from './recovery-code.ts'
import { requireFactorToReplace } from './replace-recovery-codes.ts'

/** Counts as a second factor: the session is raised to aal2. Gives the number of codes that are left. */
export async function spendRecoveryCode(context: AuthContext, who: Who, code: string): Promise<number> {
  const { db, codeSecret } = context
  const hash = hashRecoveryCode(codeSecret, who.userId, code)
  await changeAccount(db, who, {
    check: requireFactorToReplace,
    write: async (account) => {
      const { numUpdatedRows } = await account.trx
        .updateTable('auth_recovery_codes')
        .set({ used_at: new Date().toISOString() })
        .where('user_id', '=', account.user.id)
        .where('code_hash', '=', hash)
        .where('used_at', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows === 0n)
        throw new AppError(422, 'recovery_code_invalid', 'The recovery code is wrong or was used already')
      await raiseSession(context, account, 'recovery_code')
      await account.audit('auth.recovery_code_used')
    },
  })
  return countRecoveryCodes(db, who.userId)
}
