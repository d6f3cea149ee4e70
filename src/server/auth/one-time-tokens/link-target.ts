import type { FastifyRequest } from 'fastify'
import type { AuthContext } from '../auth-context.ts'
import { validationFailed } from '../protocol/auth-error.ts'
import { readQuery, text } from '../protocol/read-body.ts'
import { listedRedirect } from './listed-redirect.ts'
import { redirectTarget } from './redirect-target.ts'

/** Where a link leads: to the dashboard with its token, or to a listed address with a code for whoever asked for the mail. */
export interface LinkTarget {
  redirectTo: string | null
  /** Set for a listed address, and only then. */
  codeChallenge: string | null
}

/** The fields of a body by which a client says that it wants a code (RFC 7636). */
export const challengeFields = { code_challenge: text, code_challenge_method: text }

/** SHA-256 in base64url, which has no other length. */
const S256_SHAPE = /^[\w-]{43}$/

/** A listed address without a challenge gets nothing: a code that anybody could use would be a session in an address. */
export function readLinkTarget(
  { config, origins }: AuthContext,
  request: FastifyRequest,
  { code_challenge: challenge, code_challenge_method: method }: Record<keyof typeof challengeFields, string>,
): LinkTarget {
  const asked = readQuery(request, 'redirect_to')
  const listed = listedRedirect(config.auth.redirectUrls, asked)
  if (listed === null || (challenge === '' && method === ''))
    return { redirectTo: redirectTarget(origins, asked), codeChallenge: null }
  if (challenge === '' || method === '')
    throw validationFailed('PKCE flow requires code_challenge_method and code_challenge')
  if (method.toLowerCase() !== 's256')
    throw validationFailed('Invalid code_challenge_method: only s256 is supported')
  if (!S256_SHAPE.test(challenge)) throw validationFailed('code challenge is not a SHA-256 hash in base64url')
  return { redirectTo: listed, codeChallenge: challenge }
}
