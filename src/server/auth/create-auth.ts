import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { SecretPort } from '../db/secret-port.ts'
import type { AdminAccess, Recheck } from '../http/admin-request.ts'
import { HitCounter } from '../http/hit-counter.ts'
import { createLogger, type Logger } from '../http/logger.ts'
import { ownOrigins } from '../http/own-origins.ts'
import { PublicLimits } from '../http/public-limits.ts'
import { createIdentify } from './access/identify.ts'
import type { AuthContext } from './auth-context.ts'
import { readOrMakeSecret } from './keys/app-secret.ts'
import { CODE_SECRET } from './keys/give-up-secrets.ts'
import { KeyRing } from './keys/key-ring.ts'
import type { Letter } from './mail/letter.ts'
import { MailQueue } from './mail/mail-queue.ts'
import { createMailTransport, type SendMail } from './mail/mail-transport.ts'
import { type RenderedLetter, renderLetter } from './mail/render-letter.ts'
import { PasswordHasher } from './passwords/password-hasher.ts'
import type { HashCost } from './passwords/stored-hash.ts'
import { bootSession } from './sessions/boot-session.ts'
import { Accounts } from './users/accounts.ts'

/** What the other rooms get of this one, through `app.ts`. */
export interface Auth extends Pick<AdminAccess, 'identify'> {
  recheck: Recheck
  context: AuthContext
  accounts: Accounts
  /** The public key that the dashboard's page carries. */
  anonKey: () => Promise<string>
  /** A session for the tab of a top-level navigation, or null. */
  bootSession: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
  renderLetter: (letter: Letter) => RenderedLetter
  /** Through the house's mail; throws when it was not taken. */
  sendLetter: (to: string, kind: string, letter: Letter) => Promise<void>
}

/** Each has a default for commands, which have neither a queue of mail nor callers to limit. */
interface AuthOptions {
  log?: Logger
  limits?: PublicLimits
  /** Takes a mail over; where there is no queue for it, as in a command, the mail server is told at once. */
  send?: SendMail
  hashCost?: HashCost
}

export async function createAuth(
  config: Config,
  db: Db,
  secrets: SecretPort,
  { log = createLogger('silent'), send = createMailTransport(config, log), ...options }: AuthOptions = {},
): Promise<Auth> {
  const context = await createAuthContext(config, db, secrets, { ...options, log, send })
  const render = (letter: Letter) => renderLetter(letter, config.site.brandName)
  return {
    context,
    ...createIdentify(context),
    accounts: new Accounts(context),
    anonKey: async () => (await context.keys.current()).anonKey,
    bootSession: (request, reply) => bootSession(context, request, reply),
    renderLetter: render,
    sendLetter: (to, kind, letter) => send({ to, kind, ...render(letter) }),
  }
}

export async function createAuthContext(
  config: Config,
  db: Db,
  secrets: SecretPort,
  {
    log = createLogger('silent'),
    limits = new PublicLimits({ counter: new HitCounter(db, log), log, config }),
    send = createMailTransport(config, log),
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
    mail: new MailQueue({ send, log }),
    origins: ownOrigins(config.adminUrl ?? config.siteUrl),
  }
}
