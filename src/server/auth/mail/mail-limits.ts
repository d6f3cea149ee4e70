import { createHash } from 'node:crypto'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'
import { countHit } from '#server/http/rate-limit.ts'
import type { UserRow } from '../users/user-object.ts'

const SAME_MAIL_MS = 60_000
const HOUR_MS = 60 * 60 * 1000

/** Mails an hour of one account, by who asked for them: what one of these uses up, the others do not miss. */
const PER_ACCOUNT = {
  /** Anybody who knows the address. */
  anybody: 10,
  /** The person, signed in, or an operator with the service key. */
  themselves: 10,
  /** We, because something about the account changed. */
  notice: 30,
} as const

/** Accounts for whose address nobody but a stranger stands share this many an hour: all of them may be one stranger's. */
const FOR_STRANGERS = 30

export type MailCause = keyof typeof PER_ACCOUNT

/**
 * Counts a public request by the address that was given, whether anybody has it or not, and says whether it is the first
 * within a minute. Who asks again is answered the same and gets nothing.
 */
export async function countRequest(db: Db, operation: string, email: string): Promise<boolean> {
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
export async function takeMail(
  db: Db,
  user: Pick<UserRow, 'id' | 'mailbox_proved_at'>,
  cause: MailCause,
): Promise<boolean> {
  const own = await countHit(db, `mail:account:${cause}:${user.id}`, HOUR_MS)
  if (own.count === PER_ACCOUNT[cause] + 1)
    throw new Error(`the hourly limit of mail to one account is reached (${cause})`)
  if (own.count > PER_ACCOUNT[cause]) return false
  if (user.mailbox_proved_at !== null) return true
  const shared = await countHit(db, 'mail:strangers', HOUR_MS)
  if (shared.count === FOR_STRANGERS + 1)
    throw new Error('the hourly limit of mail to addresses that nobody has proved is reached')
  return shared.count <= FOR_STRANGERS
}
