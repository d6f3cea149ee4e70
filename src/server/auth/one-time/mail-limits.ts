import { createHash } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { AppError } from '../../http/app-error.ts'
import { countHit, readHits } from '../../http/rate-limit.ts'

const SAME_MAIL_MS = 60_000
const HOUR_MS = 60 * 60 * 1000
/** One address cannot use up what is there for everybody. */
const MAX_PER_ADDRESS = 10
const MAX_OVERALL = 30
const OVERALL_KEY = 'mail:overall'

/** Counted by the address that was given, whether anybody has it or not: the limit must not tell. */
export async function limitMail(db: Db, kind: string, email: string): Promise<void> {
  const address = createHash('sha256').update(email).digest('base64url')
  const same = await countHit(db, `mail:${kind}:${address}`, SAME_MAIL_MS)
  if (same.count > 1)
    throw tooMuchMail(
      `For security purposes, you can only request this after ${same.retryAfterSeconds} seconds.`,
      same.retryAfterSeconds,
    )
  const person = await countHit(db, `mail:address:${address}`, HOUR_MS)
  if (person.count > MAX_PER_ADDRESS) throw tooMuchMail('email rate limit exceeded', person.retryAfterSeconds)
  const overall = await readHits(db, OVERALL_KEY)
  if (overall.count >= MAX_OVERALL) throw tooMuchMail('email rate limit exceeded', overall.retryAfterSeconds)
}

/** Only mail that leaves counts, so that made-up addresses use up nothing. False when there is no room any more. */
export async function countMail(db: Db): Promise<boolean> {
  return (await countHit(db, OVERALL_KEY, HOUR_MS)).count <= MAX_OVERALL
}

function tooMuchMail(message: string, retryAfterSeconds: number): AppError {
  return new AppError(429, 'over_email_send_rate_limit', message, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}
