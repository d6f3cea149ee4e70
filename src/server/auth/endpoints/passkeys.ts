import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { Db } from '#server/db/database.ts'
import { sendNotice } from '../account-mail.ts'
import { changeAccount } from '../accounts/change-account.ts'
import type { SessionRow } from '../accounts/users.ts'
import { requireUser } from '../caller.ts'
import type { AuthContext } from '../context.ts'
import { requireSecondFactor } from '../factors/second-factor.ts'
import {
  assertionOptions,
  type ChallengePurpose,
  type Credential,
  creationOptions,
  credential,
  findPasskeys,
  insertPasskey,
  type PasskeyRow,
  readPasskeyId,
  recordUse,
  removePasskey,
  renamePasskey,
  toPasskeyObject,
  verificationFailed,
  verifyAssertion,
  verifyCreation,
} from '../factors/webauthn.ts'
import { authError, limitByAddress, limitByPerson, readBody, text, validationFailed } from '../protocol.ts'
import { amrOf, signIn } from '../sessions/issue.ts'

export function registerPasskeys(scope: FastifyInstance, context: AuthContext): void {
  registerPasskeyCreation(scope, context)
  registerPasskeySignIn(scope, context)
  registerManagePasskeys(scope, context)
}

const renameBody = z.object({ friendly_name: text })

const NAME_MAX = 120

function registerManagePasskeys(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.get('/passkeys', async (request) => {
    const { user } = await requireUser(context, request)
    return (await findPasskeys(db, user.id, 'sign-in')).map(toPasskeyObject)
  })
  scope.patch('/passkeys/:id', async (request) => {
    const { friendly_name: name } = readBody(renameBody, request)
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

const body = z.object({ challenge_id: text, credential })

const MAX_PASSKEYS = 10

/** Registers a passkey for a signed-in person, at the assurance level of the account. */
function registerPasskeyCreation(scope: FastifyInstance, context: AuthContext): void {
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
        await sendNotice(context, account.trx, { user: account.user, kind: 'passkey-added', by: 'self' })
        return row
      },
    })
    return toPasskeyObject(key)
  })
}

/** Bound to the session, so that no other session can answer it. */
function purposeOf({ user_id, id }: SessionRow): ChallengePurpose {
  return `register:${user_id}:${id}`
}

async function refuseTooMany(db: Db, userId: string): Promise<void> {
  if ((await findPasskeys(db, userId, 'sign-in')).length >= MAX_PASSKEYS)
    throw authError(422, 'too_many_passkeys', 'Maximum number of passkeys reached')
}

/** The key names its owner, so no address is needed, and no second factor, which the device has checked. */
function registerPasskeySignIn(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.post('/passkeys/authentication/options', async (request) => {
    limitByAddress(context, request, 'passkey')
    const { challenge, options } = await assertionOptions(context, 'sign-in')
    return { challenge_id: challenge.id, options, expires_at: Math.floor(challenge.expiresAt / 1000) }
  })
  scope.post('/passkeys/authentication/verify', async (request, reply) => {
    const input = readBody(body, request)
    limitByAddress(context, request, 'passkey')
    const { key, signCount } = await verifyAssertion(context, {
      challengeId: input.challenge_id,
      purpose: 'sign-in',
      credential: input.credential,
      findKey: () => findSignInKey(db, input.credential),
    })
    return signIn(context, {
      request,
      reply,
      userId: key.user_id,
      amr: amrOf('passkey'),
      status: 403,
      unknown: verificationFailed,
      admit: async (account) => {
        await recordUse(account, key, signCount)
        return true
      },
    })
  })
}

/** The authenticator names key and person; both must match what is stored. */
function findSignInKey(db: Db, { id, response }: Credential): Promise<PasskeyRow | undefined> {
  const owner = Buffer.from(response.userHandle ?? '', 'base64url').toString('utf8')
  return db
    .selectFrom('auth_passkeys')
    .selectAll()
    .where('credential_id', '=', id)
    .where('factor_id', 'is', null)
    .executeTakeFirst()
    .then((key) => (key?.user_id === owner ? key : undefined))
}
