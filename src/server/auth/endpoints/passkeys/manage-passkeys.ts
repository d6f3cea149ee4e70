import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { validationFailed } from '#server/auth/protocol/auth-error.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import { findOwnPasskey, removePasskey } from '#server/auth/webauthn/own-passkey.ts'
import { findPasskeys, toPasskeyObject } from '#server/auth/webauthn/passkey-rows.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { requireAal2ForPasskeys } from './require-aal2-for-passkeys.ts'

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
    const { user } = await requireUser(context, request)
    if (name === '') throw validationFailed('friendly_name is required')
    if (name.length > NAME_MAX) throw validationFailed(`friendly_name must be ${NAME_MAX} characters or less`)
    const key = await findOwnPasskey(db, request, user.id)
    await change(db, async (trx) => {
      await trx
        .updateTable('auth_passkeys')
        .set({ friendly_name: name, updated_at: new Date().toISOString() })
        .where('id', '=', key.id)
        .execute()
      await recordAudit(trx, {
        actor_id: user.id,
        actor: user.email,
        action: 'auth.passkey_renamed',
        subject: user.id,
        after: { passkey_id: key.id },
      })
    })
    return toPasskeyObject({ ...key, friendly_name: name })
  })
  scope.delete('/passkeys/:id', async (request, reply) => {
    const { user, session } = await requireUser(context, request)
    await requireAal2ForPasskeys(db, session)
    const key = await findOwnPasskey(db, request, user.id)
    await removePasskey(context, { user, key, by: 'self', actor: { actor_id: user.id, actor: user.email } })
    return reply.code(204).send()
  })
}
