import type { FastifyInstance } from 'fastify'
import { isUuid } from '#contract/uuid.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { validationFailed } from '#server/auth/protocol/auth-error.ts'
import { deleteFactors, requireFactor } from '#server/auth/second-factors/factor-rows.ts'
import { lowerSessions } from '#server/auth/sessions/session-level.ts'
import { changeAccount, SERVICE_ACTOR } from '#server/auth/users/change-account.ts'
import { findFactors } from '#server/auth/users/find-user.ts'
import { toFactorObject } from '#server/auth/users/user-object.ts'
import { findTarget } from './find-target.ts'

export function registerUserFactors(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.get('/:id/factors', async (request) => {
    const user = await findTarget(context, request)
    return (await findFactors(db, user.id)).map(toFactorObject)
  })
  scope.delete('/:id/factors/:factorId', async (request) => {
    const user = await findTarget(context, request)
    const { factorId } = request.params as { factorId: string }
    if (!isUuid(factorId)) throw validationFailed('factor_id must be an UUID', 404)
    const who = { userId: user.id, by: SERVICE_ACTOR }
    const removed = await changeAccount(db, who, {
      write: async (account) => {
        const factor = requireFactor(account, factorId.toLowerCase())
        await deleteFactors(account, factor.id)
        if (factor.status === 'verified') await lowerSessions(account)
        await account.audit('user.factor_removed', { before: { factor_id: factor.id } })
        return factor
      },
    })
    if (removed.status === 'verified')
      sendNotice(context, { user, kind: 'factor-removed', by: 'administrator' })
    return toFactorObject(removed)
  })
}
