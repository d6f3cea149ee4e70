import type { FastifyInstance } from 'fastify'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import { lowerSessions } from '#server/auth/second-factors/lower-sessions.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { findOwnFactor } from './find-own-factor.ts'

export function registerUnenrollFactor(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.delete('/factors/:id', async (request) => {
    const { user, session } = await requireUser(context, request)
    const factor = await findOwnFactor(db, request, user.id)
    if (factor.status === 'verified' && session.aal === 'aal1')
      throw authError(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor')
    await change(db, async (trx) => {
      await trx.deleteFrom('auth_factors').where('id', '=', factor.id).execute()
      if (factor.status === 'verified') await lowerSessions(trx, user.id)
      await recordAudit(trx, {
        actor_id: user.id,
        actor: user.email,
        action: 'auth.factor_unenrolled',
        subject: user.id,
        before: { factor_id: factor.id, status: factor.status },
      })
    })
    if (factor.status === 'verified') sendNotice(context, { user, kind: 'factor-removed', by: 'self' })
    return { id: factor.id }
  })
}
