import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { authError, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import { factorSecretPlace } from '#server/auth/second-factors/factor-secret-place.ts'
import { enrolTotp } from '#server/auth/second-factors/totp.ts'
import { lockUser } from '#server/auth/users/lock-user.ts'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { aheadRange } from '#server/db/stored-time.ts'
import { qrCodeSvg } from './qr-code-svg.ts'
import { requireAal2ToEnroll } from './require-aal2-to-enroll.ts'

const body = z.object({ factor_type: text, friendly_name: text, issuer: text })

const MAX_FACTORS = 10
const NAME_MAX = 100
/** An enrolment that was not finished by then is deleted by the next one. */
const UNFINISHED_MS = 10 * 60_000

const NOT_OFFERED: Record<string, [code: string, name: string]> = {
  phone: ['mfa_phone_enroll_not_enabled', 'Phone'],
}

export function registerEnrollFactor(scope: FastifyInstance, context: AuthContext): void {
  const { db, config } = context
  scope.post('/factors', async (request) => {
    const { factor_type: type, friendly_name: name, issuer } = readBody(body, request)
    const { user, session } = await requireUser(context, request)
    const kind = readKind(type)
    if (name.length > NAME_MAX || issuer.length > NAME_MAX)
      throw validationFailed(`friendly_name and issuer cannot be longer than ${NAME_MAX} characters`)
    // The secret of a device's key never leaves the device.
    const { secret, uri } =
      kind === 'totp'
        ? enrolTotp(issuer === '' ? config.site.brandName : issuer, user.email)
        : { secret: '', uri: '' }
    const id = randomUUID()
    const at = new Date()
    await change(db, async (trx) => {
      await lockUser(trx, user.id)
      await requireAal2ToEnroll(trx, session)
      await makeRoom(trx, user.id, name, at)
      await trx
        .insertInto('auth_factors')
        .values({
          id,
          user_id: user.id,
          friendly_name: name,
          factor_type: 'totp',
          kind,
          status: 'unverified',
          secret: await context.secrets.seal(trx, factorSecretPlace(id), secret),
          created_at: at.toISOString(),
          updated_at: at.toISOString(),
        })
        .execute()
      await recordAudit(trx, {
        actor_id: user.id,
        actor: user.email,
        action: 'auth.factor_enrolled',
        subject: user.id,
        after: { factor_id: id },
      })
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

async function makeRoom(trx: Db, userId: string, name: string, now: Date): Promise<void> {
  await trx
    .deleteFrom('auth_factors')
    .where('user_id', '=', userId)
    .where('status', '=', 'unverified')
    .where((eb) =>
      eb.or([
        eb('created_at', '<=', new Date(now.getTime() - UNFINISHED_MS).toISOString()),
        eb('created_at', '>', aheadRange(0, now.getTime()).upTo),
      ]),
    )
    .execute()
  const factors = await trx
    .selectFrom('auth_factors')
    .select('friendly_name')
    .where('user_id', '=', userId)
    .execute()
  if (factors.length >= MAX_FACTORS)
    throw authError(
      422,
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    )
  if (factors.some((factor) => factor.friendly_name === name))
    throw authError(
      422,
      'mfa_factor_name_conflict',
      `A factor with the friendly name "${name}" for this user already exists`,
    )
}
