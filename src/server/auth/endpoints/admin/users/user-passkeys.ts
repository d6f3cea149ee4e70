import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { SERVICE_ACTOR } from '#server/auth/users/change-account.ts'
import { readPasskeyId, removePasskey } from '#server/auth/webauthn/own-passkey.ts'
import { findPasskeys, toPasskeyObject } from '#server/auth/webauthn/passkey-rows.ts'
import { findTarget } from './find-target.ts'

export function registerUserPasskeys(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.get('/:id/passkeys', async (request) => {
    const user = await findTarget(context, request)
    return (await findPasskeys(db, user.id, 'sign-in')).map(toPasskeyObject)
  })
  scope.delete('/:id/passkeys/:passkeyId', async (request, reply) => {
    const user = await findTarget(context, request)
    await removePasskey(context, { userId: user.id, by: SERVICE_ACTOR }, readPasskeyId(request))
    return reply.code(204).send()
  })
}
