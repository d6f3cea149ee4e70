import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { SecretPort } from '../db/secret-port.ts'
import type { Logger } from '../http/logger.ts'
import type { PublicLimits } from '../http/public-limits.ts'
import { registerAccount } from './account/register-account.ts'
import { createAuth } from './create-auth.ts'
import { mailAdministrators, type News } from './mail/mail-administrators.ts'
import type { SendMail } from './mail/mail-transport.ts'
import type { HashCost } from './passwords/stored-hash.ts'
import { announcePrincipal } from './principal/announce-principal.ts'
import { ensurePrincipal } from './principal/ensure-principal.ts'
import { registerAuth } from './register-auth.ts'

interface AuthParts {
  config: Config
  db: Db
  secrets: SecretPort
  log: Logger
  limits: PublicLimits
  hashCost: HashCost
  /** Takes a mail over; it resolves when that is durable. */
  queueMail: SendMail
  /** Tells the operator something that is shown once. */
  announce: (text: string) => void
}

/** The auth service, with the account that the configuration names in its place. */
export async function composeAuth({
  config,
  db,
  secrets,
  log,
  limits,
  hashCost,
  queueMail,
  announce,
}: AuthParts) {
  const { context, ...auth } = await createAuth(config, db, secrets, {
    log,
    limits,
    send: queueMail,
    hashCost,
  })
  const principal = await ensurePrincipal(context)
  if (principal !== null)
    announce(announcePrincipal(config.principal.email, principal, config.adminUrl ?? config.siteUrl))
  return {
    ...auth,
    access: { identify: auth.identify, recheck: auth.recheck, origins: context.origins },
    mailAdministrators: (news: News) => mailAdministrators(context, news),
    /** Resolves when every mail that was begun is handed over. */
    closeMail: () => context.mail.close(),
    registerService: async (scope: FastifyInstance): Promise<void> => {
      await registerAuth(scope, context)
      await registerAccount(scope, context)
    },
  }
}
