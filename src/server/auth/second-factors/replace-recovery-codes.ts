import { randomUUID } from 'node:crypto'
import { AppError } from '#server/http/app-error.ts'
import type { AuthContext } from '../auth-context.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { type AccountState, changeAccount, type LockedAccount, type Who } from '../users/change-account.ts'
import { hashRecoveryCode, makeRecoveryCode } from './recovery-code.ts'
import { hasSecondFactor, requireSecondFactor } from './second-factor.ts'

const COUNT = 10

/** Ten new codes, shown this once; the old ones are worth nothing from here on. */
export async function replaceRecoveryCodes(context: AuthContext, who: Who): Promise<string[]> {
  const { db, codeSecret } = context
  const codes = new Set<string>()
  while (codes.size < COUNT) codes.add(makeRecoveryCode())
  const created_at = new Date().toISOString()
  const rows = [...codes].map((code) => ({
    id: randomUUID(),
    user_id: who.userId,
    code_hash: hashRecoveryCode(codeSecret, who.userId, code),
    created_at,
  }))
  const user = await changeAccount(db, who, {
    check: (account) => {
      requireSecondFactor(account, 'own_account')
      requireFactorToReplace(account)
    },
    write: async (account) => {
      await deleteRecoveryCodes(account)
      await account.trx.insertInto('auth_recovery_codes').values(rows).execute()
      await account.audit('auth.recovery_codes_replaced')
      return account.user
    },
  })
  sendNotice(context, { user, kind: 'recovery-codes', by: 'self' })
  return [...codes]
}

/** Recovery codes stand in for a second factor: without one they open nothing. */
export function requireFactorToReplace(account: AccountState): void {
  if (!hasSecondFactor(account))
    throw new AppError(422, 'mfa_factor_not_found', 'Recovery codes stand in for a second factor')
}

export async function deleteRecoveryCodes({ trx, user }: LockedAccount): Promise<void> {
  await trx.deleteFrom('auth_recovery_codes').where('user_id', '=', user.id).execute()
}

/** Of everybody: the key of their hashes is gone. */
export async function deleteEveryRecoveryCode(trx: LockedAccount['trx']): Promise<void> {
  await trx.deleteFrom('auth_recovery_codes').execute()
}
