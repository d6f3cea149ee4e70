import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { limitFactorCalls } from '#server/auth/second-factors/factor-limits.ts'
import { change } from '#server/db/change.ts'
import { challengeKey } from './challenge-key.ts'
import { findOwnFactor } from './find-own-factor.ts'

export const CHALLENGE_MS = 300_000

export function registerChallengeFactor(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.post('/factors/:id/challenge', async (request) => {
    const { user, session } = await requireUser(context, request)
    const factor = await findOwnFactor(db, request, user.id)
    await limitFactorCalls(context, request, session)
    if (factor.kind === 'webauthn') return challengeKey(context, user, session, factor)
    const id = randomUUID()
    const now = Date.now()
    const expiresAt = now + CHALLENGE_MS
    await change(db, async (trx) => {
      const at = new Date(now).toISOString()
      await trx
        .insertInto('auth_challenges')
        .values({
          id,
          factor_id: factor.id,
          created_at: at,
          expires_at: new Date(expiresAt).toISOString(),
        })
        .execute()
      await trx
        .updateTable('auth_factors')
        .set({ last_challenged_at: at })
        .where('id', '=', factor.id)
        .execute()
    })
    return { id, type: factor.kind, expires_at: Math.floor(expiresAt / 1000) }
  })
}
