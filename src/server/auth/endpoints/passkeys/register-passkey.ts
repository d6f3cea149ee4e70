import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { requireUser, type SessionRow } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import { limitByPerson } from '#server/auth/protocol/limit-calls.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import { lockUser } from '#server/auth/users/lock-user.ts'
import type { ChallengePurpose } from '#server/auth/webauthn/challenge.ts'
import { creationOptions, verifyCreation } from '#server/auth/webauthn/creation.ts'
import { findPasskeys, insertPasskey, toPasskeyObject } from '#server/auth/webauthn/passkey-rows.ts'
import { credential } from '#server/auth/webauthn/read-credential.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { requireAal2ForPasskeys } from './require-aal2-for-passkeys.ts'

const body = z.object({ challenge_id: text, credential })

const MAX_PASSKEYS = 10

/** A key for signing in, made by whoever is signed in already, at the level that their account has. */
export function registerPasskeyCreation(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.post('/passkeys/registration/options', async (request) => {
    const { user, session } = await requireUser(context, request)
    limitByPerson(context, 'passkey', user.id)
    await requireAal2ForPasskeys(db, session)
    await refuseTooMany(db, user.id)
    const purpose = purposeOf(session)
    const { challenge, options } = await creationOptions(context, user, { purpose, discoverable: true })
    return { challenge_id: challenge.id, options, expires_at: Math.floor(challenge.expiresAt / 1000) }
  })
  scope.post('/passkeys/registration/verify', async (request) => {
    const input = readBody(body, request)
    const { user, session } = await requireUser(context, request)
    limitByPerson(context, 'passkey', user.id)
    await requireAal2ForPasskeys(db, session)
    const made = await verifyCreation(context, {
      challengeId: input.challenge_id,
      purpose: purposeOf(session),
      credential: input.credential,
    })
    const key = await change(db, async (trx) => {
      await lockUser(trx, user.id)
      await requireAal2ForPasskeys(trx, session)
      await refuseTooMany(trx, user.id)
      const row = await insertPasskey(trx, { userId: user.id, factorId: null, credential: made })
      await recordAudit(trx, {
        actor_id: user.id,
        actor: user.email,
        action: 'auth.passkey_added',
        subject: user.id,
        after: { passkey_id: row.id },
      })
      return row
    })
    sendNotice(context, { user, kind: 'passkey-added', by: 'self' })
    return toPasskeyObject(key)
  })
}

/** Bound to the session that asked, so that nobody else's answer fits. */
function purposeOf({ user_id, id }: SessionRow): ChallengePurpose {
  return `register:${user_id}:${id}`
}

async function refuseTooMany(db: Db, userId: string): Promise<void> {
  if ((await findPasskeys(db, userId, 'sign-in')).length >= MAX_PASSKEYS)
    throw authError(422, 'too_many_passkeys', 'Maximum number of passkeys reached')
}
