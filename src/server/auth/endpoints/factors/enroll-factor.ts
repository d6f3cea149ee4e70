import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { requireUser } from '#server/auth/access/require-user.ts'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { authError, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import { insertFactor } from '#server/auth/second-factors/factor-rows.ts'
import { requireSecondFactor } from '#server/auth/second-factors/second-factor.ts'
import { enrolTotp } from '#server/auth/second-factors/totp.ts'
import { changeAccount } from '#server/auth/users/change-account.ts'
import { qrCodeSvg } from './qr-code-svg.ts'

const body = z.object({ factor_type: text, friendly_name: text, issuer: text })

const NAME_MAX = 100

const NOT_OFFERED: Record<string, [code: string, name: string]> = {
  phone: ['mfa_phone_enroll_not_enabled', 'Phone'],
}

export function registerEnrollFactor(scope: FastifyInstance, context: AuthContext): void {
  const { db, config } = context
  scope.post('/factors', async (request) => {
    const { factor_type: type, friendly_name: name, issuer } = readBody(body, request)
    const { user, who } = await requireUser(context, request)
    const kind = readKind(type)
    if (name.length > NAME_MAX || issuer.length > NAME_MAX)
      throw validationFailed(`friendly_name and issuer cannot be longer than ${NAME_MAX} characters`)
    // The secret of a device's key never leaves the device.
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
