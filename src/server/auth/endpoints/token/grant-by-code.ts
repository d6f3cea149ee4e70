import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { isSameHash } from '#server/auth/keys/keyed-hash.ts'
import { takeLinkCode } from '#server/auth/one-time-tokens/link-code.ts'
import { authError, validationFailed } from '#server/auth/protocol/auth-error.ts'
import { limitByAddress } from '#server/auth/protocol/limit-calls.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import { redeemToken } from '../verify/redeem-token.ts'

const body = z.object({ auth_code: text, code_verifier: text })

/** The code of a link becomes a session for whoever asked for the mail. It is gone at the first try, right or wrong. */
export async function grantByCode(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { auth_code: code, code_verifier: verifier } = readBody(body, request)
  if (code === '' || verifier === '')
    throw validationFailed('invalid request: both auth code and code verifier should be non-empty')
  const token = await takeLinkCode(context.db, code)
  if (token === undefined) {
    limitByAddress(context, request, 'code-unknown')
    throw unknownCode()
  }
  if (token.code_challenge === null || !isSameHash(token.code_challenge, challengeOf(verifier)))
    throw authError(400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier')
  return redeemToken(context, { request, reply, token, fail: unknownCode })
}

/** S256 of RFC 7636. */
function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

function unknownCode(): Error {
  return authError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
}
