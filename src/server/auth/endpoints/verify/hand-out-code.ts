import type { FastifyRequest } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { findByLink } from '#server/auth/one-time-tokens/find-token.ts'
import { CODED_PREFIX } from '#server/auth/one-time-tokens/insert-token.ts'
import { insertLinkCode } from '#server/auth/one-time-tokens/link-code.ts'
import { listedRedirect, withQuery } from '#server/auth/one-time-tokens/listed-redirect.ts'
import type { TokenKind } from '#server/auth/one-time-tokens/token-kind.ts'
import { limitByAddress } from '#server/auth/protocol/limit-calls.ts'
import { readQuery } from '#server/auth/protocol/read-body.ts'

export const EXPIRED_LINK = {
  error: 'access_denied',
  error_code: 'otp_expired',
  error_description: 'Email link is invalid or has expired',
}

/**
 * The listed address that a link leads to, with a code; null for a link of the dashboard, or when the address is listed
 * no more. A code goes where the mail was asked for, whatever the link says by now.
 */
export async function handOutCode(
  context: AuthContext,
  request: FastifyRequest,
  token: string,
  kinds: readonly TokenKind[],
): Promise<string | null> {
  const { redirectUrls } = context.config.auth
  if (redirectUrls.length === 0 || !token.startsWith(CODED_PREFIX)) return null
  limitByAddress(context, request, 'verify')
  const row = await findByLink(context.db, token, kinds)
  const asked = row === undefined ? readQuery(request, 'redirect_to') : (row.redirect_to ?? undefined)
  const target = listedRedirect(redirectUrls, asked)
  if (target === null) return null
  const code = row === undefined ? null : await insertLinkCode(context.db, row.id)
  return withQuery(target, code === null ? EXPIRED_LINK : { code })
}
