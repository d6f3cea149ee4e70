import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdminBoot } from '#contract/admin-page.ts'
import type { Config } from '../config.ts'

/** What is handed over by the auth service. */
export interface SessionPorts {
  anonKey: () => Promise<string>
  /** A session for the login that the cookie names; called for true navigations only. */
  openSession: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}

interface BootParts extends SessionPorts {
  config: Config
}

/** What the dashboard is told as it loads; a session only when a person opens it in a tab of their own. */
export function createBoot({
  config,
  anonKey,
  openSession,
}: BootParts): (request: FastifyRequest, reply: FastifyReply) => Promise<AdminBoot> {
  const secureContext = isSecureContext(config.adminUrl ?? config.siteUrl)
  return async (request, reply) => ({
    brandName: config.site.brandName,
    siteUrl: config.siteUrl,
    anonKey: await anonKey(),
    session: isTopLevelNavigation(request) ? await openSession(request, reply) : null,
    sharedOrigin: config.adminUrl === null,
    secureContext,
    canMail: config.mail.smtpUrl !== null,
  })
}

/** Headers that no script can set: a frame, a fetch or a worker that asks for the page is shown the login screen. */
function isTopLevelNavigation({ headers }: FastifyRequest): boolean {
  return (
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    headers['sec-purpose'] === undefined
  )
}

function isSecureContext(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
