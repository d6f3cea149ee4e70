import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { isUuid } from '#contract/uuid.ts'
import type { Db } from '#server/db/database.ts'
import { isUnexpired } from '#server/db/time.ts'
import { sendNotice } from '../account-mail.ts'
import { changeAccount, type LockedAccount, type Who } from '../accounts/change-account.ts'
import { deleteFactors } from '../accounts/credentials.ts'
import { type FactorRow, withFactors } from '../accounts/users.ts'
import { requireUser } from '../caller.ts'
import type { AuthContext } from '../context.ts'
import {
  acceptFactor,
  insertFactor,
  limitFactorCalls,
  lowerSessions,
  markChallenged,
  raiseSession,
  rememberSecondStep,
  requireFactor,
  requireSecondFactor,
  showSecondStep,
  spendStep,
} from '../factors/second-factor.ts'
import { enrolTotp, factorSecretPlace, matchTotp, qrCodeSvg } from '../factors/totp.ts'
import { CHALLENGE_MS } from '../factors/webauthn.ts'
import { challengeKey, shownKey, verifyKey } from '../factors/webauthn-factor.ts'
import { authError, readBody, text, validationFailed } from '../protocol.ts'
import { toSessionObject } from '../sessions/tokens.ts'

export function registerFactors(scope: FastifyInstance, context: AuthContext): void {
  registerEnrollFactor(scope, context)
  registerChallengeFactor(scope, context)
  registerVerifyFactor(scope, context)
  registerUnenrollFactor(scope, context)
}

const enrollBody = z.object({ factor_type: text, friendly_name: text, issuer: text })

const NAME_MAX = 100

const NOT_OFFERED: Record<string, [code: string, name: string]> = {
  phone: ['mfa_phone_enroll_not_enabled', 'Phone'],
}

function registerEnrollFactor(scope: FastifyInstance, context: AuthContext): void {
  const { db, config } = context
  scope.post('/factors', async (request) => {
    const { factor_type: type, friendly_name: name, issuer } = readBody(enrollBody, request)
    const { user, who } = await requireUser(context, request)
    const kind = readKind(type)
    if (name.length > NAME_MAX || issuer.length > NAME_MAX)
      throw validationFailed(`friendly_name and issuer cannot be longer than ${NAME_MAX} characters`)
    // The secret of a hardware key never leaves the device.
    const { secret, uri } =
      kind === 'totp'
        ? enrolTotp(issuer === '' ? config.site.brandName : issuer, user.email)
        : { secret: '', uri: '' }
    const id = await changeAccount(db, who, {
      check: (account) => requireSecondFactor(account, 'enroll'),
      write: async (account) => {
        const made = await insertFactor(context, account, { name, kind, secret })
        await account.audit('auth.factor_enrolled', { after: { factor_id: made } })
        return made
      },
    })
    if (kind === 'webauthn') return { id, type: kind, friendly_name: name }
    return { id, type: kind, friendly_name: name, totp: { qr_code: await qrCodeSvg(uri), secret, uri } }
  })
}

function readKind(type: string): 'totp' | 'webauthn' {
  if (type === 'totp' || type === 'webauthn') return type
  const known = NOT_OFFERED[type]
  if (known === undefined) throw validationFailed('factor_type needs to be totp, phone, or webauthn')
  throw authError(422, known[0], `MFA enroll is disabled for ${known[1]}`)
}

function registerUnenrollFactor(scope: FastifyInstance, context: AuthContext): void {
  scope.delete('/factors/:id', async (request) => {
    const { who } = await requireUser(context, request)
    const id = readFactorId(request)
    await changeAccount(context.db, who, {
      write: async (account) => {
        const { status } = requireFactor(account, id)
        if (status === 'verified') requireSecondFactor(account, 'unenroll')
        await deleteFactors(account, id)
        if (status === 'verified') await lowerSessions(account)
        await account.audit('auth.factor_unenrolled', { before: { factor_id: id, status } })
        if (status === 'verified')
          await sendNotice(context, account.trx, { user: account.user, kind: 'factor-removed', by: 'self' })
      },
    })
    return { id }
  })
}

const body = z.object({ challenge_id: text, code: text, webauthn: z.nullish(shownKey) })

/** A right code verifies the factor and raises the session. */
function registerVerifyFactor(scope: FastifyInstance, context: AuthContext): void {
  const { db } = context
  scope.post('/factors/:id/verify', async (request, reply) => {
    const { challenge_id: challengeId, code, webauthn } = readBody(body, request)
    const { user, session, who } = await requireUser(context, request)
    const factor = await findOwnFactor(db, request, user.id)
    if (factor.kind === 'webauthn')
      return verifyKey(context, { request, reply, user, session, who, factor, challengeId, webauthn })
    if (code === '') throw validationFailed('Code needs to be non-empty')
    await limitFactorCalls(context, request, session)
    await requireChallenge(db, factor, challengeId)
    const raise = () => raiseByCode(context, { who, factor, challengeId, code })
    if (factor.status === 'verified') {
      const raised = await showSecondStep(context, { request, reply, user, session }, raise)
      return toSessionObject(context, await withFactors(db, user), raised)
    }
    // Whoever sets up an app knows its secret: there is nothing to guess.
    const raised = await raise()
    rememberSecondStep(context, request, reply, user.id)
    return toSessionObject(context, await withFactors(db, user), raised)
  })
}

interface ShownCode {
  who: Who
  factor: FactorRow
  challengeId: string
  code: string
}

async function raiseByCode(context: AuthContext, { who, factor, challengeId, code }: ShownCode) {
  const secret = await context.secrets.decrypt(factorSecretPlace(factor.id), factor.secret)
  const step = matchTotp(secret, code)
  if (step === null) throw wrongCode()
  return changeAccount(context.db, who, {
    check: (account) => requireSecondFactor(account, 'enroll', factor.id),
    write: async (account) => {
      const current = requireFactor(account, factor.id)
      // The factor was verified meanwhile: answers now count as guesses.
      if (current.status !== factor.status) throw wrongCode()
      if (!(await spendStep(account, factor.id, step))) throw wrongCode()
      await spendChallenge(account, challengeId)
      await acceptFactor(account, current)
      if (factor.status === 'unverified')
        await sendNotice(context, account.trx, { user: account.user, kind: 'factor-added', by: 'self' })
      return raiseSession(context, account, 'totp')
    },
  })
}

async function requireChallenge(db: Db, factor: FactorRow, challengeId: string): Promise<void> {
  const challenge = isUuid(challengeId)
    ? await db
        .selectFrom('auth_challenges')
        .selectAll()
        .where('id', '=', challengeId.toLowerCase())
        .where('factor_id', '=', factor.id)
        .executeTakeFirst()
    : undefined
  if (challenge === undefined)
    throw authError(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found')
  if (challenge.verified_at !== null) throw metAlready()
  if (!isUnexpired(challenge.expires_at, CHALLENGE_MS, Date.now()))
    throw authError(
      422,
      'mfa_challenge_expired',
      `MFA challenge ${challenge.id} has expired, verify against another challenge or create a new challenge.`,
    )
}

/** A challenge can be answered once. */
async function spendChallenge({ trx }: LockedAccount, id: string): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('auth_challenges')
    .set({ verified_at: new Date().toISOString() })
    .where('id', '=', id.toLowerCase())
    .where('verified_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw metAlready()
}

/** The protocol's error for a challenge that was already answered. */
function metAlready(): Error {
  return authError(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.')
}

function wrongCode(): Error {
  return authError(422, 'mfa_verification_failed', 'Invalid TOTP code entered')
}

function registerChallengeFactor(scope: FastifyInstance, context: AuthContext): void {
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

function readFactorId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!isUuid(id)) throw validationFailed('factor_id must be an UUID', 404)
  return id.toLowerCase()
}

/** The factor in the path, if it belongs to this person. */
async function findOwnFactor(db: Db, request: FastifyRequest, userId: string): Promise<FactorRow> {
  const factor = await db
    .selectFrom('auth_factors')
    .selectAll()
    .where('id', '=', readFactorId(request))
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (factor === undefined) throw authError(404, 'mfa_factor_not_found', 'Factor not found')
  return factor
}
