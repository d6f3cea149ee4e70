import type { FastifyInstance } from 'fastify'
import { isUuid } from '#contract/uuid.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { authError, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { lowerSessions } from '#server/auth/second-factors/lower-sessions.ts'
import { findFactors } from '#server/auth/users/find-user.ts'
import { toFactorObject } from '#server/auth/users/user-object.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { findTarget, SERVICE_ACTOR } from './find-target.ts'

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
    const removed = await change(db, async (trx) => {
      const factor = await trx
        .deleteFrom('auth_factors')
        .where('id', '=', factorId.toLowerCase())
        .where('user_id', '=', user.id)
        .returningAll()
        .executeTakeFirst()
      if (factor === undefined) throw authError(404, 'mfa_factor_not_found', 'Factor not found')
      if (factor.status === 'verified') await lowerSessions(trx, user.id)
      await recordAudit(trx, {
        ...SERVICE_ACTOR,
        action: 'user.factor_removed',
        subject: user.id,
        before: { factor_id: factor.id },
      })
      return factor
    })
    if (removed.status === 'verified')
      sendNotice(context, { user, kind: 'factor-removed', by: 'administrator' })
    return toFactorObject(removed)
  })
}
