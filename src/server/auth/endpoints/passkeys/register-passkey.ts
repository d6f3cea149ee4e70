import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { sendNotice } from '#server/auth/mail/send-notice.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import { limitByPerson } from '#server/auth/protocol/limit-calls.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import { requireSecondFactor } from '#server/auth/second-factors/second-factor.ts'
import { changeAccount } from '#server/auth/users/change-account.ts'
import type { SessionRow } from '#server/auth/users/user-object.ts'
import type { ChallengePurpose } from '#server/auth/webauthn/challenge.ts'
import { creationOptions, verifyCreation } from '#server/auth/webauthn/creation.ts'
import { findPasskeys, insertPasskey, toPasskeyObject } from '#server/auth/webauthn/passkey-rows.ts'
import { credential } from '#server/auth/webauthn/read-credential.ts'
import type { Db } from '#server/db/database.ts'

const body = z.object({ challenge_id: text, credential })

const MAX_PASSKEYS = 10

/** A key for signing in, made by whoever is signed in already, at the level that their account has. */
export function registerPasskeyCreation(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.post('/passkeys/registration/options', async (request) => {
    const account = await requireUser(context, request)
    limitByPerson(context, 'passkey', account.user.id)
    requireSecondFactor(account, 'passkeys')
    await refuseTooMany(db, account.user.id)
    const purpose = purposeOf(account.session)
    const { challenge, options } = await creationOptions(context, account.user, {
      purpose,
      discoverable: true,
    })
    return { challenge_id: challenge.id, options, expires_at: Math.floor(challenge.expiresAt / 1000) }
  })
  scope.post('/passkeys/registration/verify', async (request) => {
    const input = readBody(body, request)
    const { user, session, who } = await requireUser(context, request)
    limitByPerson(context, 'passkey', user.id)
    const key = await changeAccount(db, who, {
      check: (account) => requireSecondFactor(account, 'passkeys'),
      prepare: () =>
        verifyCreation(context, {
          challengeId: input.challenge_id,
          purpose: purposeOf(session),
          credential: input.credential,
        }),
      write: async (account, made) => {
        await refuseTooMany(account.trx, user.id)
        const row = await insertPasskey(account, { factorId: null, credential: made })
        await account.audit('auth.passkey_added', { after: { passkey_id: row.id } })
        return row
      },
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
