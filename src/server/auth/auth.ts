import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { RateCounter } from '../http/limits/counter.ts'
import { BODY_BYTES } from '../http/limits/limits.ts'
import { PublicLimits } from '../http/limits/public.ts'
import { createLogger, type Logger } from '../http/logging/logger.ts'
import { type Callers, guardApi } from '../http/security/administrators.ts'
import { ownOrigins } from '../http/security/own-origins.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { type AdministratorNews, accountMailChannel, mailAdministrators } from './account-mail.ts'
import { Accounts } from './accounts/admin-users.ts'
import { announcePrincipal, ensurePrincipal } from './accounts/principal.ts'
import { createCallers, registerForServiceKey, requireApiKey } from './caller.ts'
import type { AuthContext } from './context.ts'
import { registerAdminUsers } from './endpoints/admin-users.ts'
import {
  registerAuthorize,
  registerHealth,
  registerIdentities,
  registerJwks,
  registerSettings,
  registerSso,
} from './endpoints/discovery.ts'
import { registerFactors } from './endpoints/factors.ts'
import { registerGenerateLink, registerInvite } from './endpoints/invite.ts'
import { registerLogout } from './endpoints/logout.ts'
import { registerOtp, registerReauthenticate, registerRecover, registerResend } from './endpoints/otp.ts'
import { registerOwnAccount } from './endpoints/own-account.ts'
import { registerPasskeys } from './endpoints/passkeys.ts'
import { registerSignup } from './endpoints/signup.ts'
import { registerToken } from './endpoints/token.ts'
import { registerGetUser, registerUpdateUser } from './endpoints/user.ts'
import { registerVerify, registerVerifyLink } from './endpoints/verify.ts'
import { CODE_SECRET, readOrMakeSecret } from './keys/app-secrets.ts'
import { KeyRing } from './keys/key-ring.ts'
import { type HashCost, PasswordHasher } from './passwords/passwords.ts'
import { renderAuthErrors } from './protocol.ts'
import { bootSession } from './sessions/issue.ts'

interface AuthParts {
  config: Config
  db: Db
  secrets: Secrets
  log: Logger
  limits: PublicLimits
  hashCost: HashCost
  /** Called when a job of the outbox is stored. */
  wakeOutbox: () => void
  /** Shows something to the operator once. */
  announce: (text: string) => void
}

/** The auth module, with the configured principal in place. */
export async function composeAuth({
  config,
  db,
  secrets,
  log,
  limits,
  hashCost,
  wakeOutbox,
  announce,
}: AuthParts) {
  const { context, ...auth } = await createAuth(config, db, secrets, {
    log,
    limits,
    wakeOutbox,
    hashCost,
  })
  const principal = await ensurePrincipal(context)
  if (principal !== null) announce(announcePrincipal(config.principal.email, principal, config.dashboardUrl))
  return {
    ...auth,
    access: { callers: auth.callers, origins: context.origins },
    mailAdministrators: (trx: Db, news: AdministratorNews) => mailAdministrators(context, trx, news),
    mailChannel: accountMailChannel(context, log),
    registerService: (scope: FastifyInstance) => registerAuth(scope, context),
    registerOwnAccount: (scope: FastifyInstance) => registerOwnAccount(scope, context),
  }
}

/** What other modules get from this one, through `app.ts`. */
export interface Auth {
  callers: Callers
  context: AuthContext
  accounts: Accounts
  /** The public API key in the dashboard's page. */
  anonKey: () => Promise<string>
  /** A session for the tab of a top-level navigation, or null. */
  bootSession: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}

/** Defaults are for commands, which have no outbox and no callers. */
interface AuthOptions {
  log?: Logger
  limits?: PublicLimits
  wakeOutbox?: () => void
  hashCost?: HashCost
}

export async function createAuth(
  config: Config,
  db: Db,
  secrets: Secrets,
  options: AuthOptions = {},
): Promise<Auth> {
  const context = await createAuthContext(config, db, secrets, options)
  return {
    context,
    callers: createCallers(context),
    accounts: new Accounts(context),
    anonKey: async () => (await context.keys.current()).anonKey,
    bootSession: (request, reply) => bootSession(context, request, reply),
  }
}

export async function createAuthContext(
  config: Config,
  db: Db,
  secrets: Secrets,
  {
    log = createLogger('silent'),
    limits = new PublicLimits({ counter: new RateCounter(db, log), log, config }),
    wakeOutbox = () => {},
    hashCost,
  }: AuthOptions = {},
): Promise<AuthContext> {
  const makeSecret = () => randomBytes(32).toString('base64url')
  return {
    db,
    config,
    secrets,
    keys: await KeyRing.open(db, secrets, config),
    passwords: new PasswordHasher(hashCost),
    deviceSecret: await readOrMakeSecret(db, secrets, 'device_cookie', makeSecret),
    refreshSecret: await readOrMakeSecret(db, secrets, 'refresh_tokens', makeSecret),
    codeSecret: await readOrMakeSecret(db, secrets, CODE_SECRET, makeSecret),
    limits,
    wakeOutbox,
    origins: ownOrigins(config.dashboardUrl),
  }
}

/** The auth service at `/auth/v1`, with its own guard, errors and keys. */
export async function registerAuth(app: FastifyInstance, context: AuthContext): Promise<void> {
  await app.register(
    async (scope) => {
      renderAuthErrors(scope)
      limitBodies(scope)
      guardApi(scope, { origins: context.origins })
      requireApiKey(scope, context)
      registerJwks(scope, context)
      registerSettings(scope, context)
      registerHealth(scope)
      registerToken(scope, context)
      registerSignup(scope, context)
      registerLogout(scope, context)
      registerGetUser(scope, context)
      registerUpdateUser(scope, context)
      registerRecover(scope, context)
      registerOtp(scope, context)
      registerResend(scope, context)
      registerReauthenticate(scope, context)
      registerVerify(scope, context)
      registerVerifyLink(scope, context)
      registerFactors(scope, context)
      registerPasskeys(scope, context)
      await registerForServiceKey(scope, context, [registerInvite, registerGenerateLink, registerAdminUsers])
      registerIdentities(scope)
      registerSso(scope)
      registerAuthorize(scope)
    },
    { prefix: '/auth/v1' },
  )
}

const WITH_METADATA = /\/(?:signup|otp|user|invite|admin\/users(?:\/:id)?|admin\/generate_link)\/?$/

const WITH_KEY = /\/(?:passkeys\/\w+|factors\/:id)\/verify$/

/** Registered before the routes, to set their body limits. */
function limitBodies(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    if (WITH_METADATA.test(route.url)) route.bodyLimit = BODY_BYTES.authMetadata
    else route.bodyLimit = WITH_KEY.test(route.url) ? BODY_BYTES.authKey : BODY_BYTES.auth
  })
}
