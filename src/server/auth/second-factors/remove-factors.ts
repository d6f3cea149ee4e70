import type { AuthContext } from '../auth-context.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { changeAccount, OPERATOR_ACTOR } from '../users/change-account.ts'
import { findUserByEmail } from '../users/find-user.ts'
import { findPasskeys } from '../webauthn/passkey-rows.ts'

export interface RemovedFactors {
  /** Verified ones. */
  factors: number
  passkeys: number
}

/** For operators, when a phone is lost. Gives what was removed; null when nobody has that address. */
export async function removeFactors(context: AuthContext, email: string): Promise<RemovedFactors | null> {
  const { db } = context
  const user = await findUserByEmail(db, email)
  if (user === undefined) return null
  const removed = await changeAccount(
    db,
    { userId: user.id, by: OPERATOR_ACTOR },
    {
      write: async (account) => {
        const factors = account.factors.map(({ id, status }) => ({ id, status }))
        const passkeys = (await findPasskeys(account.trx, user.id, 'all')).map(({ id }) => ({ id }))
        await account.revoke('factors_removed')
        await account.audit('auth.factors_removed', { before: { factors, passkeys } })
        const verified = factors.filter(({ status }) => status === 'verified')
        return { factors: verified.length, passkeys: passkeys.length }
      },
    },
  )
  if (removed.factors + removed.passkeys > 0)
    sendNotice(context, { user, kind: 'factors-removed', by: 'operator' })
  return removed
}
