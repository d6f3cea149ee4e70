import type { FastifyRequest } from 'fastify'
import { isUuid } from '#contract/uuid.ts'
import type { AuthContext } from '../auth-context.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { requireSecondFactor } from '../second-factors/second-factor.ts'
import { changeAccount, type Who } from '../users/change-account.ts'
import { deletePasskey, passkeyNotFound } from './passkey-rows.ts'

/** The id of the key that the path names. */
export function readPasskeyId(request: FastifyRequest): string {
  const { passkeyId, id } = request.params as { passkeyId?: string; id: string }
  const wanted = passkeyId ?? id
  if (!isUuid(wanted)) throw passkeyNotFound()
  return wanted.toLowerCase()
}

/** People who remove their own have shown their second factor. */
export async function removePasskey(context: AuthContext, who: Who, id: string): Promise<void> {
  const isOwn = who.sessionId !== undefined
  const user = await changeAccount(context.db, who, {
    check: (account) => {
      if (isOwn) requireSecondFactor(account, 'passkeys')
    },
    write: async (account) => {
      await deletePasskey(account, id)
      await account.audit('auth.passkey_removed', { before: { passkey_id: id } })
      return account.user
    },
  })
  sendNotice(context, { user, kind: 'passkey-removed', by: isOwn ? 'self' : 'administrator' })
}
