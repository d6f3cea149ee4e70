import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { validationFailed } from '#server/auth/protocol/auth-error.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import { changeAccount } from '#server/auth/users/change-account.ts'
import { readPasskeyId, removePasskey } from '#server/auth/webauthn/own-passkey.ts'
import { findPasskeys, renamePasskey, toPasskeyObject } from '#server/auth/webauthn/passkey-rows.ts'

const body = z.object({ friendly_name: text })
const NAME_MAX = 120

export function registerManagePasskeys(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.get('/passkeys', async (request) => {
    const { user } = await requireUser(context, request)
    return (await findPasskeys(db, user.id, 'sign-in')).map(toPasskeyObject)
  })
  scope.patch('/passkeys/:id', async (request) => {
    const { friendly_name: name } = readBody(body, request)
    const { who } = await requireUser(context, request)
    if (name === '') throw validationFailed('friendly_name is required')
    if (name.length > NAME_MAX) throw validationFailed(`friendly_name must be ${NAME_MAX} characters or less`)
    const id = readPasskeyId(request)
    const key = await changeAccount(db, who, {
      write: async (account) => {
        const renamed = await renamePasskey(account, id, name)
        await account.audit('auth.passkey_renamed', { after: { passkey_id: id } })
        return renamed
      },
    })
    return toPasskeyObject(key)
  })
  scope.delete('/passkeys/:id', async (request, reply) => {
    const { who } = await requireUser(context, request)
    await removePasskey(context, who, readPasskeyId(request))
    return reply.code(204).send()
  })
}
