import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { findByCode, findByLink, type TokenRow } from '#server/auth/one-time-tokens/find-token.ts'
import { kindsOfType, type TokenKind } from '#server/auth/one-time-tokens/token-kind.ts'
import { authError, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { limitByAddress } from '#server/auth/protocol/limit-calls.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import { checkKnownEmail } from '#server/auth/users/check-email.ts'
import { redeemToken } from './redeem-token.ts'

const body = z.object({ type: text, token: text, token_hash: text, email: text, phone: text })
type VerifyInput = z.output<typeof body>

const PHONE_TYPES = ['sms', 'phone_change']
const E164 = /^\+?[1-9]\d{1,14}$/

/** A one-time token becomes a session, once. */
export function registerVerify(scope: FastifyInstance, context: AuthContext): void {
  scope.post('/verify', async (request, reply) => {
    const input = readBody(body, request)
    const kinds = checkInput(input)
    limitByAddress(context, request, 'verify')
    const token = await findProof(context, input, kinds)
    return redeemToken(context, { request, reply, token, fail: () => expired(input) })
  })
}

function checkInput(input: VerifyInput): readonly TokenKind[] {
  if (input.type === '') throw validationFailed('Verify requires a verification type')
  if (PHONE_TYPES.includes(input.type) || input.phone !== '') throw refusePhone(input)
  const kinds = kindsOfType(input.type)
  if (kinds === undefined) throw validationFailed('Unsupported verification type')
  if (input.token === '' && input.token_hash === '')
    throw validationFailed('Verify requires either a token or a token hash')
  if (input.token_hash !== '' && input.email !== '')
    throw validationFailed('Only the token_hash and type should be provided')
  if (input.token_hash === '' && input.email === '')
    throw validationFailed('Only an email address or phone number should be provided on verify')
  return kinds
}

/** No code ever goes to a phone, so none can be right. */
function refusePhone(input: VerifyInput): Error {
  return E164.test(input.phone)
    ? expired(input)
    : validationFailed('Invalid phone number format (E.164 required)')
}

async function findProof(
  { db, codeSecret }: AuthContext,
  input: VerifyInput,
  kinds: readonly TokenKind[],
): Promise<TokenRow> {
  const token =
    input.token_hash === ''
      ? await findByCode(db, codeSecret, {
          code: input.token.trim(),
          sentTo: checkKnownEmail(input.email),
          kinds,
        })
      : await findByLink(db, input.token_hash, kinds)
  if (token === undefined) throw expired(input)
  return token
}

function expired({ token_hash: hash }: VerifyInput): Error {
  return authError(
    403,
    'otp_expired',
    hash === '' ? 'Token has expired or is invalid' : 'Email link is invalid or has expired',
  )
}
