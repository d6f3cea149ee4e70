import type { Selectable } from 'kysely'
import type { AuthOneTimeTokens } from '#server/db/auth-schema.ts'
import type { Db } from '#server/db/database.ts'
import { aheadRange } from '#server/db/stored-time.ts'
import { hashOpaqueToken } from '#server/http/opaque-token.ts'
import { countHit } from '#server/http/rate-limit.ts'
import { isSameHash, keyedHash } from '../keys/keyed-hash.ts'
import { TOKEN_LIFE_MS } from './insert-token.ts'
import type { TokenKind } from './token-kind.ts'

export type TokenRow = Selectable<AuthOneTimeTokens>

/** Wrong guesses at the six digits of one mail. Its link stays valid, so that guessing cannot invalidate a mail. */
const MAX_ATTEMPTS = 5

export async function findByLink(
  db: Db,
  token: string,
  kinds: readonly TokenKind[],
): Promise<TokenRow | undefined> {
  if (kinds.length === 0) return undefined
  return pending(db, kinds).where('token_hash', '=', hashOpaqueToken(token)).executeTakeFirst()
}

export function findPending(db: Db, id: string): Promise<TokenRow | undefined> {
  return stillGood(db).where('id', '=', id).executeTakeFirst()
}

/** Each guess is counted before it is looked at, so that guesses side by side learn no more than the limit allows. */
export async function findByCode(
  db: Db,
  secret: string,
  { code, sentTo, kinds }: { code: string; sentTo: string; kinds: readonly TokenKind[] },
): Promise<TokenRow | undefined> {
  const candidates =
    kinds.length === 0
      ? []
      : await pending(db, kinds).where('sent_to', '=', sentTo).orderBy('created_at', 'desc').execute()
  // One write here as well: the time of the answer must not tell that a mail was sent to this address.
  if (candidates.length === 0) await countHit(db, 'one-time:unknown', 60_000)
  for (const candidate of candidates) {
    const { numUpdatedRows } = await db
      .updateTable('auth_one_time_tokens')
      .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
      .where('id', '=', candidate.id)
      .where('attempts', '<', MAX_ATTEMPTS)
      .executeTakeFirst()
    const isRight =
      candidate.code_hash !== null && isSameHash(candidate.code_hash, keyedHash(secret, candidate.id, code))
    if (numUpdatedRows > 0n && isRight) return candidate
  }
  return undefined
}

/** Says whether it was still there to be used: of two that come with the same token, one is told no. */
export async function spendToken(trx: Db, id: string, now = new Date()): Promise<boolean> {
  const { after, upTo } = aheadRange(TOKEN_LIFE_MS, now.getTime())
  const { numUpdatedRows } = await trx
    .updateTable('auth_one_time_tokens')
    .set({ used_at: now.toISOString() })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', after)
    .where('expires_at', '<=', upTo)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

function pending(db: Db, kinds: readonly TokenKind[]) {
  return stillGood(db).where('kind', 'in', kinds)
}

function stillGood(db: Db) {
  const { after, upTo } = aheadRange(TOKEN_LIFE_MS, Date.now())
  return db
    .selectFrom('auth_one_time_tokens')
    .selectAll()
    .where('used_at', 'is', null)
    .where('expires_at', '>', after)
    .where('expires_at', '<=', upTo)
}
