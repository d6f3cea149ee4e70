import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { limitFactorCalls } from '#server/auth/second-factors/factor-limits.ts'
import { markChallenged, requireFactor } from '#server/auth/second-factors/factor-rows.ts'
import { changeAccount } from '#server/auth/users/change-account.ts'
import { challengeKey } from './challenge-key.ts'
import { findOwnFactor } from './find-own-factor.ts'

export const CHALLENGE_MS = 300_000

export function registerChallengeFactor(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.post('/factors/:id/challenge', async (request) => {
    const { user, session, who } = await requireUser(context, request)
    const factor = await findOwnFactor(db, request, user.id)
    await limitFactorCalls(context, request, session)
    if (factor.kind === 'webauthn') return challengeKey(context, { user, session, who, factor })
    const id = randomUUID()
    const now = Date.now()
    const expiresAt = now + CHALLENGE_MS
    await changeAccount(db, who, {
      write: async (account) => {
        requireFactor(account, factor.id)
        const created_at = new Date(now).toISOString()
        await account.trx
          .insertInto('auth_challenges')
          .values({ id, factor_id: factor.id, created_at, expires_at: new Date(expiresAt).toISOString() })
          .execute()
        await markChallenged(account, factor.id, created_at)
      },
    })
    return { id, type: factor.kind, expires_at: Math.floor(expiresAt / 1000) }
  })
}
