import type { FastifyRequest } from 'fastify'
import { isUuid } from '#contract/uuid.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import type { AuthContext } from '../auth-context.ts'
import { sendNotice } from '../mail/send-notice.ts'
import { validationFailed } from '../protocol/auth-error.ts'
import type { UserRow } from '../users/user-object.ts'
import type { PasskeyRow } from './passkey-rows.ts'

/** The key that the path names, if it is this person's and signs in. */
export async function findOwnPasskey(db: Db, request: FastifyRequest, userId: string): Promise<PasskeyRow> {
  const { passkeyId, id } = request.params as { passkeyId?: string; id: string }
  const wanted = passkeyId ?? id
  const key = isUuid(wanted)
    ? await db
        .selectFrom('auth_passkeys')
        .selectAll()
        .where('id', '=', wanted.toLowerCase())
        .where('user_id', '=', userId)
        .where('factor_id', 'is', null)
        .executeTakeFirst()
    : undefined
  if (key === undefined) throw validationFailed('Passkey not found', 404)
  return key
}

interface Removal {
  user: UserRow
  key: PasskeyRow
  by: 'self' | 'administrator'
  actor: { actor_id: string | null; actor: string }
}

export async function removePasskey(context: AuthContext, { user, key, by, actor }: Removal): Promise<void> {
  await change(context.db, async (trx) => {
    await trx.deleteFrom('auth_passkeys').where('id', '=', key.id).execute()
    await recordAudit(trx, {
      ...actor,
      action: 'auth.passkey_removed',
      subject: user.id,
      before: { passkey_id: key.id },
    })
  })
  sendNotice(context, { user, kind: 'passkey-removed', by })
}
