import { createHash } from 'node:crypto'
import type { Db } from '#server/db/database.ts'
import { countedBlocks } from '#server/http/address-block.ts'
import { AppError } from '#server/http/app-error.ts'
import { MAILS_PER_HOUR } from '#server/http/limits.ts'
import { countHit, readHits } from '#server/http/rate-limit.ts'
import type { UserRow } from '../users/user-object.ts'

const SAME_MAIL_MS = 60_000
const HOUR_MS = 60 * 60 * 1000

export type MailCause = keyof typeof MAILS_PER_HOUR.account

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
