import { randomUUID } from 'node:crypto'
import { MINUTE_MS } from '#contract/durations.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/dialect.ts'
import { isUnexpired } from '#server/db/time.ts'
import { change } from '#server/db/transactions/change.ts'
import { hashOpaqueToken, makeOpaqueToken } from '#server/secrets/tokens.ts'
import { findPending, type TokenRow } from './tokens.ts'

const LINK_CODE_LIFE_MS = 5 * MINUTE_MS
/** A mail scanner may follow a link as well as its owner: their codes coexist, and the oldest are deleted. */
const CODES_PER_TOKEN = 10

/** A code for the token's link, or null if the token is gone. The token is spent when a code is exchanged. */
export function insertLinkCode(db: Db, tokenId: string, now = new Date()): Promise<string | null> {
  const { token: code, hash } = makeOpaqueToken()
  return change(db, async (trx) => {
    const held = trx.selectFrom('auth_one_time_tokens').select('id').where('id', '=', tokenId)
    if ((await locked(trx, held).executeTakeFirst()) === undefined) return null
    await trx
      .insertInto('auth_link_codes')
      .values({
        id: randomUUID(),
        token_id: tokenId,
        code_hash: hash,
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + LINK_CODE_LIFE_MS).toISOString(),
      })
      .execute()
    const newest = await trx
      .selectFrom('auth_link_codes')
      .select('id')
      .where('token_id', '=', tokenId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(CODES_PER_TOKEN)
      .execute()
    await trx
      .deleteFrom('auth_link_codes')
      .where('token_id', '=', tokenId)
      .where(
        'id',
        'not in',
        newest.map(({ id }) => id),
      )
      .execute()
    return code
  })
}

/** Deletes a code and returns its token: of two uses, one fails. */
export async function takeLinkCode(db: Db, code: string, now = Date.now()): Promise<TokenRow | undefined> {
  const taken = await db
    .deleteFrom('auth_link_codes')
    .where('code_hash', '=', hashOpaqueToken(code))
    .returning(['token_id', 'expires_at'])
    .executeTakeFirst()
  if (taken === undefined) return undefined
  return isUnexpired(taken.expires_at, LINK_CODE_LIFE_MS, now) ? findPending(db, taken.token_id) : undefined
}
