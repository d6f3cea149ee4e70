import { randomInt, randomUUID } from 'node:crypto'
import type { Db } from '#server/db/database.ts'
import { hashOpaqueToken, makeOpaqueToken } from '#server/http/opaque-token.ts'
import { keyedHash } from '../keys/keyed-hash.ts'
import type { LinkTarget } from './link-target.ts'
import type { TokenKind } from './token-kind.ts'

export const TOKEN_LIFE_MS = 60 * 60 * 1000

/** Begins the token of a link that leads to a listed address with a code, as the protocol has it. */
export const CODED_PREFIX = 'pkce_'

export interface IssuedToken {
  kind: TokenKind
  sentTo: string
  /** Goes into the link. */
  token: string
  /** Is typed by hand. */
  code: string
}

interface NewToken {
  userId: string
  kind: TokenKind
  sentTo: string
  target: LinkTarget
}

/** Only the newest of its kind is good: whoever asks twice uses the second mail. */
export async function insertToken(
  trx: Db,
  secret: string,
  { userId, kind, sentTo, target }: NewToken,
  now = new Date(),
): Promise<IssuedToken> {
  await trx
    .deleteFrom('auth_one_time_tokens')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .execute()
  const id = randomUUID()
  const { codeChallenge } = target
  const token = `${codeChallenge === null ? '' : CODED_PREFIX}${makeOpaqueToken().token}`
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  await trx
    .insertInto('auth_one_time_tokens')
    .values({
      id,
      user_id: userId,
      kind,
      token_hash: hashOpaqueToken(token),
      code_hash: keyedHash(secret, id, code),
      sent_to: sentTo,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + TOKEN_LIFE_MS).toISOString(),
      code_challenge: codeChallenge,
      redirect_to: codeChallenge === null ? null : target.redirectTo,
    })
    .execute()
  return { kind, sentTo, token, code }
}
