import { createHash, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import { AppError } from '../http/errors.ts'
import { countHit, readHits } from '../http/limits/counter.ts'
import { MAILS_PER_HOUR } from '../http/limits/limits.ts'
import type { Logger } from '../http/logging/logger.ts'
import { countedBlocks } from '../http/sockets/addresses.ts'
import { accountPlace, type LetterInput, renderLetter } from '../mail/email.ts'
import type { OutgoingMail, SendMail } from '../mail/transport.ts'
import { LockedAccount } from './accounts/change-account.ts'
import { accessRefusal } from './accounts/rules.ts'
import { findUserByEmail, selectAdministrators, type UserRow } from './accounts/users.ts'
import type { AuthContext } from './context.ts'
import { type NoticeKind, noticeEmail, TOKEN_EMAILS, type WhoActed } from './email-templates.ts'
import { tokenLink } from './one-time-tokens/redirects.ts'
import { type IssuedToken, issueTokens, TOKEN_LIFE_MS, type TokenKind } from './one-time-tokens/tokens.ts'
import { limitByAddress } from './protocol.ts'

export interface News {
  kind: string
  subject: string
  paragraphs: string[]
  /** Of the dashboard. */
  path: string
  label: string
}

/** Writes to everybody who has a role, each within what their account may be sent in an hour. */
export function mailAdministrators(
  { db, config, mail }: Pick<AuthContext, 'db' | 'config' | 'mail'>,
  { kind, subject, paragraphs, path, label }: News,
): void {
  mail.later(async () => {
    const people = await selectAdministrators(db, Date.now())
      .select(['auth_users.id', 'auth_users.email', 'auth_users.mailbox_proved_at'])
      .execute()
    const { brandName } = config.site
    const letter = renderLetter(
      {
        subject,
        paragraphs,
        action: { label, url: (config.adminUrl ?? config.siteUrl) + path },
        closing: ['Você recebe este aviso porque administra o site.'],
      },
      brandName,
    )
    // Each by itself: one who is over their limit keeps nobody else from hearing of it.
    for (const user of people)
      mail.later(async () =>
        (await takeMail(db, user, 'notice')) ? [{ kind, to: user.email, ...letter }] : [],
      )
    return []
  })
}

interface PublicRequest {
  /** What is counted: each has an allowance of its own. */
  operation: 'otp' | 'recover' | `resend:${string}`
  email: string
  /** Makes the account that is not there yet, where it may be made. */
  findElse?: () => Promise<UserRow | undefined>
}

/**
 * What a call that anybody can make about any address does before its answer: the same statements, whether or not
 * somebody has the address, and whether or not a limit is reached. Everything else happens behind the answer, which is
 * always `{}`.
 */
export async function mailBehindAnswer(
  context: AuthContext,
  request: FastifyRequest,
  { operation, email, findElse = async () => undefined }: PublicRequest,
  write: (user: UserRow) => Promise<OutgoingMail[]>,
): Promise<Record<string, never>> {
  limitByAddress(context, request, operation === 'otp' || operation === 'recover' ? operation : 'resend')
  if (await countRequest(context.db, operation, email))
    context.mail.later(async () => {
      const user = (await findUserByEmail(context.db, email)) ?? (await findElse())
      return user === undefined || accessRefusal(user) !== null ? [] : write(user)
    })
  return {}
}

/** The work behind an answer begins within this time of it, at a moment that the answer does not tell. */
const MAX_DELAY_MS = 120

const RETRY_AFTER_MS = [1_000, 5_000]

/** What is still on its way when the process stops gets this long. */
const GRACE_MS = 5_000

interface MailQueueOptions {
  send: SendMail
  log: Pick<Logger, 'warn' | 'error'>
  retryAfterMs?: readonly number[]
  graceMs?: number
  /** Resolves when the work behind an answer may begin. */
  begin?: () => Promise<unknown>
}

/**
 * Mail is written after the request that asked for it was answered, so that the time of an answer tells nobody whether
 * an address is known, and handed to `send`: a durable queue, or the mail server itself where there is none. A failure is
 * tried again and, in the end, logged; who asked can ask once more.
 */
export class MailQueue {
  readonly #options: Required<MailQueueOptions>
  readonly #pending = new Set<Promise<void>>()

  constructor(options: MailQueueOptions) {
    this.#options = {
      retryAfterMs: RETRY_AFTER_MS,
      graceMs: GRACE_MS,
      begin: () => sleep(randomInt(MAX_DELAY_MS)),
      ...options,
    }
  }

  /** Runs the work later, and sends every message that it gives back. */
  later(work: () => Promise<OutgoingMail[]>): void {
    const running = this.#run(work).finally(() => this.#pending.delete(running))
    this.#pending.add(running)
  }

  /** Resolves when nothing is on its way any more, or time is up. */
  async close(): Promise<void> {
    const timeUp = new AbortController()
    const grace = sleep(this.#options.graceMs, 'late', { signal: timeUp.signal }).catch(() => 'late')
    const done = this.#settle().then(() => 'done')
    if ((await Promise.race([done, grace])) === 'late')
      this.#options.log.error({ count: this.#pending.size }, 'stopped with mail still on its way')
    timeUp.abort()
  }

  /** What is on its way may put more on its way. */
  async #settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all([...this.#pending])
  }

  async #run(work: () => Promise<OutgoingMail[]>): Promise<void> {
    try {
      await this.#options.begin()
      await Promise.all((await work()).map((mail) => this.#deliver(mail)))
    } catch (error) {
      this.#options.log.error({ err: error }, 'a mail could not be prepared')
    }
  }

  async #deliver(mail: OutgoingMail): Promise<void> {
    const { send, log, retryAfterMs } = this.#options
    for (const wait of [...retryAfterMs, null]) {
      try {
        return await send(mail)
      } catch (error) {
        const reason = describe(error)
        if (wait === null || reason.permanent) {
          log.error({ kind: mail.kind, ...reason }, 'a mail could not be sent')
          return
        }
        log.warn({ kind: mail.kind, ...reason }, 'a mail could not be sent yet')
        await sleep(wait)
      }
    }
  }
}

/** Codes only: the text of a mail server's refusal often repeats the address. */
function describe(error: unknown): { code?: string; responseCode?: number; permanent: boolean } {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  return {
    ...(code === undefined ? {} : { code }),
    ...(responseCode === undefined ? {} : { responseCode }),
    permanent: responseCode !== undefined && responseCode >= 500,
  }
}

interface Notice {
  /** As it was before the change: a changed address is told to the one that was left. */
  user: Pick<UserRow, 'id' | 'email' | 'mailbox_proved_at'>
  kind: NoticeKind
  by: WhoActed
}

/** Tells a person what was changed about how they sign in. Inside the transaction of the change: in `afterCommit`. */
export function sendNotice({ db, config, mail }: AuthContext, { user, kind, by }: Notice): void {
  const at = new Date()
  mail.later(async () => {
    if (!(await takeMail(db, user, 'notice'))) return []
    const { brandName } = config.site
    const { place, isAdministrator } = await accountPlace(db, user.id, brandName)
    const adminUrl = isAdministrator ? (config.adminUrl ?? config.siteUrl) : null
    const factors = await countFactors(db, user.id)
    const letter = noticeEmail({ kind, by, at, place, brandName, factors, adminUrl })
    return [{ kind: `notice-${kind}`, to: user.email, ...renderLetter(letter, brandName) }]
  })
}

async function countFactors(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('auth_factors')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('user_id', '=', userId)
    .where('status', '=', 'verified')
    .executeTakeFirstOrThrow()
  return Number(count)
}

interface TokenMail {
  user: UserRow
  kinds: readonly TokenKind[]
  redirectTo?: string | null
  codeChallenge?: string | null
  cause: MailCause
  /** The address that they were asked from, where anybody could ask. */
  askedFrom?: string
}

/**
 * Makes the tokens and writes the letters that carry them, for the account as it is by then. Belongs behind the answer, in
 * the mail queue.
 */
export async function composeTokenMails(
  context: AuthContext,
  { user, kinds, redirectTo = null, codeChallenge = null, cause, askedFrom }: TokenMail,
): Promise<OutgoingMail[]> {
  for (const _ of kinds) if (!(await takeMail(context.db, user, cause, askedFrom))) return []
  const { current, issued } = await change(context.db, async (trx) => {
    const account = await LockedAccount.lock(trx, { userId: user.id })
    if (account === undefined || accessRefusal(account.user) !== null) return { current: user, issued: [] }
    const isOver = kinds.includes('email_change_new') && account.user.new_email === null
    const target = { redirectTo, codeChallenge }
    return {
      issued: await issueTokens(context, account, isOver ? [] : kinds, target),
      current: account.user,
    }
  })
  return composeIssued(context, current, issued, redirectTo)
}

export async function composeIssued(
  context: AuthContext,
  user: UserRow,
  issued: readonly IssuedToken[],
  redirectTo: string | null,
): Promise<OutgoingMail[]> {
  const account = await accountPlace(context.db, user.id, context.config.site.brandName)
  return issued.map((token) => compose(context, user, account, token, redirectTo))
}

function compose(
  { config }: AuthContext,
  user: UserRow,
  account: Pick<LetterInput, 'place' | 'isAdministrator'>,
  { kind, sentTo, token, code }: IssuedToken,
  redirectTo: string | null,
): OutgoingMail {
  const { brandName } = config.site
  const url = tokenLink(config, { kind, token }, redirectTo)
  const letter = TOKEN_EMAILS[kind]({ brandName, ...account, url, code, newEmail: user.new_email ?? '' })
  return { kind, to: sentTo, usefulMs: TOKEN_LIFE_MS, ...renderLetter(letter, brandName) }
}

const SAME_MAIL_MS = 60_000

const HOUR_MS = 60 * 60 * 1000

type MailCause = keyof typeof MAILS_PER_HOUR.account

/**
 * Counts a public request by the address that was given, whether anybody has it or not, and says whether it is the first
 * within a minute. Who asks again is answered the same and gets nothing.
 */
async function countRequest(db: Db, operation: string, email: string): Promise<boolean> {
  const address = createHash('sha256').update(email).digest('base64url')
  return (await countHit(db, `mail:asked:${operation}:${address}`, SAME_MAIL_MS)).count === 1
}

/** For calls that name their own account, or come with the service key: the refusal tells them nothing new. */
export async function limitOwnMail(db: Db, kind: string, who: string): Promise<void> {
  const { count, retryAfterSeconds } = await countHit(db, `mail:own:${kind}:${who}`, SAME_MAIL_MS)
  if (count > 1)
    throw new AppError(
      429,
      'over_email_send_rate_limit',
      `For security purposes, you can only request this after ${retryAfterSeconds} seconds.`,
      { headers: { 'retry-after': String(retryAfterSeconds) } },
    )
}

/**
 * Takes one mail from the account's allowance, behind the answer. False when none is left; the first time it throws
 * instead, so that the log says it once and not at every request of a flood.
 */
async function takeMail(
  db: Db,
  user: Pick<UserRow, 'id' | 'mailbox_proved_at'>,
  cause: MailCause,
  /** The address that it was asked from, where anybody could ask. */
  askedFrom?: string,
): Promise<boolean> {
  if (!(await takeOf(db, `account:${cause}:${user.id}`, MAILS_PER_HOUR.account[cause]))) return false
  if (user.mailbox_proved_at !== null) return true
  const { address, network, everybody, ofWhichForNewAskers } = MAILS_PER_HOUR.unproved
  const asker = askedFrom === undefined ? { own: user.id, network: null } : countedBlocks(askedFrom)
  if (!(await takeOf(db, `unproved:${asker.own}`, address))) return false
  if (asker.network !== null && !(await takeOf(db, `unproved:${asker.network}`, network))) return false
  const isNewAsker = (await readHits(db, `mail:unproved:${asker.own}`, HOUR_MS)).count === 1
  const sent = await readHits(db, 'mail:unproved:everybody', HOUR_MS)
  // Not counted when refused: what is kept for others stays.
  if (sent.count >= (isNewAsker ? everybody : everybody - ofWhichForNewAskers))
    return takeOf(db, 'unproved:refused', 0)
  await countHit(db, 'mail:unproved:everybody', HOUR_MS)
  return true
}

async function takeOf(db: Db, key: string, max: number): Promise<boolean> {
  const { count } = await countHit(db, `mail:${key}`, HOUR_MS)
  if (count === max + 1)
    throw new MailLimitReached(`the hourly limit of mail is reached (${key.split(':')[0]})`)
  return count <= max
}

class MailLimitReached extends Error {}

/** For a call that does nothing unless so many mails can be sent. */
export async function requireMails(
  db: Db,
  user: Pick<UserRow, 'id' | 'mailbox_proved_at'>,
  cause: MailCause,
  mails: number,
): Promise<void> {
  for (let taken = 0; taken < mails; taken++) {
    const isTaken = await takeMail(db, user, cause).catch((error) => {
      if (error instanceof MailLimitReached) return false
      throw error
    })
    if (!isTaken) throw new AppError(429, 'over_email_send_rate_limit', 'Email rate limit exceeded')
  }
}
