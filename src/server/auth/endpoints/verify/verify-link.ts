import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { redirectTarget } from '#server/auth/one-time-tokens/redirect-target.ts'
import { kindsOfType } from '#server/auth/one-time-tokens/token-kind.ts'
import { readQuery } from '#server/auth/protocol/read-body.ts'

const TOKEN_SHAPE = /^[\w-]{16,128}$/

/**
 * Where the links in mails lead. It verifies nothing, so a mail scanner that follows it uses nothing up: it hands the
 * token to the dashboard in the fragment, which no server sees and no referrer carries, and the dashboard posts it when
 * the person says so.
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
      const isLink = TOKEN_SHAPE.test(token) && kindsOfType(type) !== undefined
      const fragment = isLink
        ? new URLSearchParams({ token_hash: token, type })
        : new URLSearchParams({
            error: 'access_denied',
            error_code: 'otp_expired',
            error_description: 'Email link is invalid or has expired',
          })
      return reply.redirect(`${target}#${fragment}`, 303)
    },
  )
}
