import type { FastifyInstance } from 'fastify'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { deleteFactors, requireFactor } from '#server/auth/second-factors/factor-rows.ts'
import { requireSecondFactor } from '#server/auth/second-factors/second-factor.ts'
import { lowerSessions } from '#server/auth/sessions/session-level.ts'
import { changeAccount } from '#server/auth/users/change-account.ts'
import { readFactorId } from './find-own-factor.ts'

export function registerUnenrollFactor(scope: FastifyInstance, context: AuthContext): void {
  scope.delete('/factors/:id', async (request) => {
    const { user, who } = await requireUser(context, request)
    const id = readFactorId(request)
    const wasVerified = await changeAccount(context.db, who, {
      write: async (account) => {
        const { status } = requireFactor(account, id)
        if (status === 'verified') requireSecondFactor(account, 'unenroll')
        await deleteFactors(account, id)
        if (status === 'verified') await lowerSessions(account)
        await account.audit('auth.factor_unenrolled', { before: { factor_id: id, status } })
        return status === 'verified'
      },
    })
    if (wasVerified) sendNotice(context, { user, kind: 'factor-removed', by: 'self' })
    return { id }
  })
}
