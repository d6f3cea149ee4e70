import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { redirectTarget } from '#server/auth/one-time-tokens/redirect-target.ts'
import { kindsOfType } from '#server/auth/one-time-tokens/token-kind.ts'
import { readQuery } from '#server/auth/protocol/read-body.ts'
import { EXPIRED_LINK, handOutCode } from './hand-out-code.ts'

const TOKEN_SHAPE = /^[\w-]{16,128}$/

/**
 * Where the links in mails lead. It verifies nothing, so a mail scanner that follows it uses nothing up: it hands the
 * token to the dashboard in the fragment, which no server sees and no referrer carries, and the dashboard posts it when
 * the person says so. A link of `AUTH_REDIRECT_URLS` gets a code instead, which is as little use to a scanner.
 */
export function registerVerifyLink(scope: FastifyInstance, context: AuthContext): void {
  const { config, origins } = context
  scope.get(
    '/verify',
    { config: { keyless: true, navigable: true }, exposeHeadRoute: false },
    async (request, reply) => {
      const token = readQuery(request, 'token') ?? ''
      const type = readQuery(request, 'type') ?? ''
      const target =
        redirectTarget(origins, readQuery(request, 'redirect_to')) ??
        `${config.adminUrl ?? config.siteUrl}/admin`
      const kinds = kindsOfType(type)
      const isLink = TOKEN_SHAPE.test(token) && kinds !== undefined
      const elsewhere = isLink ? await handOutCode(context, request, token, kinds) : null
      if (elsewhere !== null) return reply.redirect(elsewhere, 303)
      const fragment = new URLSearchParams(isLink ? { token_hash: token, type } : EXPIRED_LINK)
      return reply.redirect(`${target}#${fragment}`, 303)
    },
  )
}
