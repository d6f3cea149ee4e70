import { createHash, randomInt } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#contract/durations.ts'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { afterCommit, change } from '../db/transactions/change.ts'
import { AppError } from '../http/errors.ts'
import { countHit, readHits } from '../http/limits/counter.ts'
import { MAILS_PER_HOUR, SAME_MAIL } from '../http/limits/limits.ts'
import type { Logger } from '../http/logging/logger.ts'
import { clientAddress, countedBlocks } from '../http/sockets/addresses.ts'
import { storeMail } from '../mail/channel.ts'
import { accountPlace, type EmailInput, renderEmail } from '../mail/email.ts'
import type { MailToSend } from '../mail/transport.ts'
import { backOffBy, type Channel, type Outcome, settled } from '../outbox/channel.ts'
import { decryptContent, enqueueEncrypted } from '../outbox/enqueue.ts'
import type { Claim } from '../outbox/queue.ts'
import { singleLaneChannel } from '../outbox/single-lane.ts'
import { LockedAccount } from './accounts/change-account.ts'
import { accessRefusal } from './accounts/rules.ts'
import { findUserByEmail, insertUser, selectAdministrators, type UserRow } from './accounts/users.ts'
import type { AuthContext } from './context.ts'
import { type NoticeKind, noticeEmail, TOKEN_EMAILS, type WhoActed } from './email-templates.ts'
import { type LinkTarget, tokenLink } from './one-time-tokens/redirects.ts'
import {
  EMAIL_CHANGE_KINDS,
  type IssuedToken,
  issueTokens,
  TOKEN_LIFE_MS,
  type TokenKind,
} from './one-time-tokens/tokens.ts'
import { limitByAddress } from './protocol.ts'

/** An email to an account. Its cause stores the job; `writeMails` prepares the email. */
type AccountMail = PublicRequest | TokenMail | Notice | News

type MailContext = Pick<AuthContext, 'secrets' | 'wakeOutbox'>

type MailUser = Pick<UserRow, 'id' | 'email' | 'mailbox_proved_at'>

/** Call it in the transaction of the email's cause. */
async function enqueue(
  { secrets, wakeOutbox }: MailContext,
  trx: Db,
  job: AccountMail,
  { usefulMs, afterMs = 0 }: { usefulMs: number; afterMs?: number },
): Promise<void> {
  const now = Date.now()
  const times = { dueAt: now + afterMs, expiresAt: now + usefulMs }
  await enqueueEncrypted(trx, secrets, { kind: 'account-mail', content: job, ...times }, now)
  afterCommit(trx, wakeOutbox)
}

/** Public operations and the tokens that they send. */
const PUBLIC_OPERATIONS = {
  otp: (user) => [user.email_confirmed_at === null ? 'signup' : 'magiclink'],
  recover: () => ['recovery'],
  'resend:signup': (user) => (user.email_confirmed_at === null ? ['signup'] : []),
  'resend:email_change': (user) => (user.new_email === null ? [] : EMAIL_CHANGE_KINDS),
} as const satisfies Record<string, (user: UserRow) => readonly TokenKind[]>

interface PublicRequest {
  task: 'public'
  operation: keyof typeof PUBLIC_OPERATIONS
  email: string
  target: LinkTarget
  askedFrom: string
  /** Metadata of a new account for an unknown address; null if none may be created. */
  newAccount: { metadata: Record<string, unknown> } | null
}

/** The work after a response starts within this time, at a random moment, so that later responses reveal nothing. */
const MAX_DELAY_MS = 120

/**
 * What a public call does before its response, which is always `{}`: the same statements and rows, whether the address
 * has an account or not. The outbox looks the account up later.
 */
export async function mailBehindAnswer(
  context: AuthContext,
  request: FastifyRequest,
  {
    operation,
    email,
    target,
    newAccount = null,
  }: Pick<PublicRequest, 'operation' | 'email' | 'target'> & Partial<Pick<PublicRequest, 'newAccount'>>,
): Promise<Record<string, never>> {
  limitByAddress(context, request, operation === 'otp' || operation === 'recover' ? operation : 'resend')
  // Counted and stored in one transaction: a request that fails uses up nothing.
  await change(context.db, async (trx) => {
    if (!(await isFirstInMinute(trx, operation, email))) return
    const job = { task: 'public', operation, email, target, newAccount } as const
    await enqueue(
      context,
      trx,
      { ...job, askedFrom: clientAddress(request) },
      { usefulMs: TOKEN_LIFE_MS, afterMs: randomInt(MAX_DELAY_MS) },
    )
  })
  return {}
}

interface TokenMail {
  task: 'tokens'
  userId: string
  kinds: readonly TokenKind[]
  redirectTo: string | null
}

/** Emails one-time tokens to the account. */
export function mailTokens(
  context: MailContext,
  trx: Db,
  tokens: Pick<TokenMail, 'userId' | 'kinds'> & Partial<Pick<TokenMail, 'redirectTo'>>,
): Promise<void> {
  return enqueue(context, trx, { task: 'tokens', redirectTo: null, ...tokens }, { usefulMs: TOKEN_LIFE_MS })
}

interface Notice {
  task: 'notice'
  /** The account before the change: a changed address is reported to the old one. */
  user: MailUser
  kind: NoticeKind
  by: WhoActed
  at: string
}

/** Emails a person what changed about their sign-in, in the transaction of the change. */
export function sendNotice(
  context: MailContext,
  trx: Db,
  { user: { id, email, mailbox_proved_at }, kind, by }: Pick<Notice, 'user' | 'kind' | 'by'>,
): Promise<void> {
  const user = { id, email, mailbox_proved_at }
  return enqueue(
    context,
    trx,
    { task: 'notice', user, kind, by, at: new Date().toISOString() },
    { usefulMs: DAY_MS },
  )
}

export interface AdministratorNews {
  kind: string
  subject: string
  paragraphs: string[]
  /** Path in the dashboard. */
  path: string
  label: string
}

interface News extends AdministratorNews {
  task: 'news'
  user: MailUser
}

/** Emails every administrator, in the transaction of the cause. */
export async function mailAdministrators(
  context: MailContext,
  trx: Db,
  { kind, subject, paragraphs, path, label }: AdministratorNews,
): Promise<void> {
  const people = await selectAdministrators(trx, Date.now())
    .select(['auth_users.id', 'auth_users.email', 'auth_users.mailbox_proved_at'])
    .execute()
  // One job per person: a person over their limit does not affect the others.
  for (const user of people)
    await enqueue(
      context,
      trx,
      { task: 'news', user, kind, subject, paragraphs, path, label },
      { usefulMs: DAY_MS },
    )
}

/** Emails tokens that the transaction issued. */
export async function mailIssued(
  context: AuthContext,
  { trx, user }: LockedAccount,
  issued: readonly IssuedToken[],
  redirectTo: string | null,
): Promise<void> {
  const { config, secrets, wakeOutbox } = context
  if (issued.length === 0) return
  const account = await accountPlace(trx, user.id, config.site.brandName)
  for (const token of issued)
    await storeMail(trx, secrets, composeTokenEmail(context, user, account, token, redirectTo))
  afterCommit(trx, wakeOutbox)
}

function composeTokenEmail(
  { config }: AuthContext,
  user: UserRow,
  account: Pick<EmailInput, 'place' | 'isAdministrator'>,
  { kind, sentTo, token, code }: IssuedToken,
  redirectTo: string | null,
): MailToSend {
  const { brandName } = config.site
  const url = tokenLink(config, { kind, token }, redirectTo)
  const email = TOKEN_EMAILS[kind]({ brandName, ...account, url, code, newEmail: user.new_email ?? '' })
  return { kind, to: sentTo, usefulMs: TOKEN_LIFE_MS, ...renderEmail(email, brandName) }
}

const BACK_OFF = backOffBy([SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS])

/** Parallel rounds. */
const ROUNDS = 4

interface MailJob extends Claim {
  mail: AccountMail | null
}

/**
 * Prepares emails from jobs. Looking up the account, issuing tokens and storing the email happen in the transaction
 * that removes the job: once, or not at all.
 */
export function accountMailChannel(context: AuthContext, log: Pick<Logger, 'warn' | 'error'>): Channel {
  return singleLaneChannel<MailJob>({
    kind: 'account-mail',
    // One per transaction, so that a failure delays no other.
    limit: 1,
    rounds: ROUNDS,
    backOff: BACK_OFF,
    drainsAtStop: true,
    attempt: (claims, { now }) => Promise.all(claims.map((claim) => open(context, log, claim, now()))),
    record: async (trx, outcomes, isOurs) => {
      for (const outcome of outcomes)
        if (outcome.state === 'accepted' && outcome.job.mail !== null && isOurs(outcome))
          await writeMails({ ...context, log }, trx, outcome.job.mail)
    },
  })
}

async function open(
  { secrets }: AuthContext,
  log: Pick<Logger, 'warn' | 'error'>,
  claim: Claim,
  now: number,
): Promise<Outcome<MailJob>> {
  if (Date.parse(claim.expires_at ?? '') <= now) {
    log.error({ attempts: claim.attempts - 1 }, 'email expired before it was prepared')
    return settled({ ...claim, mail: null }, 'expired', '', '')
  }
  try {
    const mail = await decryptContent<AccountMail>(secrets, claim)
    return settled({ ...claim, mail }, 'accepted', '', '')
  } catch (error) {
    log.warn({ err: error }, 'email not prepared, will retry')
    const job = { ...claim, mail: null }
    return { job, state: 'waiting', reason: '', answer: '', message: '', afterMs: null, isUntouched: false }
  }
}

type WriterContext = AuthContext & { log: Pick<Logger, 'error'> }

async function writeMails(context: WriterContext, trx: Db, mail: AccountMail): Promise<void> {
  if (mail.task === 'public') return answerRequest(context, trx, mail)
  if (mail.task === 'notice') return writeNotice(context, trx, mail)
  if (mail.task === 'news') return writeNews(context, trx, mail)
  const { userId, kinds, redirectTo } = mail
  return writeTokens(context, trx, {
    userId,
    kindsFor: () => kinds,
    target: { redirectTo, codeChallenge: null },
    cause: 'themselves',
  })
}

async function answerRequest(context: WriterContext, trx: Db, request: PublicRequest): Promise<void> {
  const { operation, email, target, askedFrom, newAccount } = request
  const user =
    (await findUserByEmail(trx, email)) ??
    (newAccount === null ? undefined : await signUp(context, trx, request, newAccount.metadata))
  if (user === undefined) return
  await writeTokens(context, trx, {
    userId: user.id,
    kindsFor: PUBLIC_OPERATIONS[operation],
    target,
    cause: 'anybody',
    askedFrom,
  })
}

/** Creates an account without a password, within the hourly ceiling for strangers. */
function signUp(
  { limits }: AuthContext,
  trx: Db,
  { email, askedFrom }: PublicRequest,
  userMetadata: Record<string, unknown>,
): Promise<UserRow | undefined> {
  return limits.storeWithin<UserRow | undefined>(
    'signup',
    askedFrom,
    async (giveBack) => {
      const made = { email, passwordHash: null, confirmed: false, isStranger: true, userMetadata } as const
      const user = await insertUser(trx, made)
      if (user === null) {
        giveBack()
        return findUserByEmail(trx, email)
      }
      const action = 'user.signed_up'
      await recordAudit(trx, { actor_id: user.id, actor: email, action, subject: user.id, after: { email } })
      return user
    },
    () => undefined,
  )
}

interface TokensToWrite {
  userId: string
  kindsFor: (user: UserRow) => readonly TokenKind[]
  target: LinkTarget
  cause: MailCause
  /** The caller's address, for public requests. */
  askedFrom?: string
}

async function writeTokens(
  context: WriterContext,
  trx: Db,
  { userId, kindsFor, target, cause, askedFrom }: TokensToWrite,
): Promise<void> {
  const account = await LockedAccount.lock(trx, { userId })
  if (account === undefined || accessRefusal(account.user) !== null) return
  const kinds = kindsFor(account.user)
  const isOver = kinds.includes('email_change_new') && account.user.new_email === null
  if (kinds.length === 0 || isOver) return
  for (const _ of kinds) if (!(await takeMail(context, trx, account.user, cause, askedFrom))) return
  await mailIssued(context, account, await issueTokens(context, account, kinds, target), target.redirectTo)
}

async function writeNotice(context: WriterContext, trx: Db, { user, kind, by, at }: Notice): Promise<void> {
  if (!(await takeMail(context, trx, user, 'notice'))) return
  const { config, secrets, wakeOutbox } = context
  const { brandName } = config.site
  const { place, isAdministrator } = await accountPlace(trx, user.id, brandName)
  const adminUrl = isAdministrator ? config.dashboardUrl : null
  const factors = await countFactors(trx, user.id)
  const email = noticeEmail({ kind, by, at: new Date(at), place, brandName, factors, adminUrl })
  await storeMail(trx, secrets, { kind: `notice-${kind}`, to: user.email, ...renderEmail(email, brandName) })
  afterCommit(trx, wakeOutbox)
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

async function writeNews(context: WriterContext, trx: Db, news: News): Promise<void> {
  const { user, kind, subject, paragraphs, path, label } = news
  if (!(await takeMail(context, trx, user, 'notice'))) return
  const { config, secrets, wakeOutbox } = context
  const email = {
    subject,
    paragraphs,
    action: { label, url: config.dashboardUrl + path },
    closing: [`Você recebe este e-mail porque administra o site ${config.site.brandName}.`],
  }
  await storeMail(trx, secrets, { kind, to: user.email, ...renderEmail(email, config.site.brandName) })
  afterCommit(trx, wakeOutbox)
}

type MailCause = keyof typeof MAILS_PER_HOUR.account

/**
 * Counts a public request by email address, whether it has an account or not. Returns true for the first within a
 * minute; a repeated request gets the same response and no email.
 */
async function isFirstInMinute(db: Db, operation: string, email: string): Promise<boolean> {
  const address = createHash('sha256').update(email).digest('base64url')
  return (await countHit(db, `mail:asked:${operation}:${address}`, SAME_MAIL.windowMs)).count <= SAME_MAIL.max
}

/** For signed-in calls and service keys: a refusal reveals nothing to them. */
export async function limitOwnMail(db: Db, kind: string, who: string): Promise<void> {
  const { count, retryAfterSeconds } = await countHit(db, `mail:own:${kind}:${who}`, SAME_MAIL.windowMs)
  if (count > SAME_MAIL.max)
    throw new AppError(
      429,
      'over_email_send_rate_limit',
      `For security purposes, you can only request this after ${retryAfterSeconds} seconds.`,
      { retryAfterSeconds },
    )
}

type Limited = Pick<UserRow, 'id' | 'mailbox_proved_at'>

/** Takes one email from the account's limit; false if none is left. The first refusal is logged. */
async function takeMail(
  { log }: { log?: Pick<Logger, 'error'> },
  db: Db,
  user: Limited,
  cause: MailCause,
  /** The caller's address, for public requests. */
  askedFrom?: string,
): Promise<boolean> {
  const take = async (key: string, max: number) => {
    const { count } = await countHit(db, `mail:${key}`, HOUR_MS)
    if (count === max + 1)
      afterCommit(db, () => log?.error({ limit: key.split(':')[0] }, 'hourly email limit reached'))
    return count <= max
  }
  if (!(await take(`account:${cause}:${user.id}`, MAILS_PER_HOUR.account[cause]))) return false
  if (user.mailbox_proved_at !== null) return true
  const { address, network, everybody, ofWhichForNewAskers } = MAILS_PER_HOUR.unproved
  const asker = askedFrom === undefined ? { own: user.id, network: null } : countedBlocks(askedFrom)
  if (!(await take(`unproved:${asker.own}`, address))) return false
  if (asker.network !== null && !(await take(`unproved:${asker.network}`, network))) return false
  const isNewAsker = (await readHits(db, `mail:unproved:${asker.own}`, HOUR_MS)).count === 1
  const sent = await readHits(db, 'mail:unproved:everybody', HOUR_MS)
  // Refused requests are not counted, so that the reserve for others stays.
  if (sent.count >= (isNewAsker ? everybody : everybody - ofWhichForNewAskers))
    return take('unproved:refused', 0)
  await countHit(db, 'mail:unproved:everybody', HOUR_MS)
  return true
}

/** For a call that needs several emails: throws if they exceed the limit. */
export async function requireMails(db: Db, user: Limited, cause: MailCause, mails: number): Promise<void> {
  for (let taken = 0; taken < mails; taken++)
    if (!(await takeMail({}, db, user, cause)))
      throw new AppError(429, 'over_email_send_rate_limit', 'Email rate limit exceeded')
}
