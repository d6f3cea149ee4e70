import { randomInt, randomUUID } from 'node:crypto'
import { hashOpaqueToken, makeOpaqueToken } from '#server/http/opaque-token.ts'
import { keyedHash } from '../keys/keyed-hash.ts'
import type { LockedAccount } from '../users/change-account.ts'
import { deleteTokens } from './delete-tokens.ts'
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
  kind: TokenKind
  sentTo: string
  target: LinkTarget
}

/** Only the newest of its kind is good: whoever asks twice uses the second mail. */
export async function insertToken(
  account: LockedAccount,
  secret: string,
  { kind, sentTo, target }: NewToken,
  now = new Date(),
): Promise<IssuedToken> {
  const { trx, user } = account
  await deleteTokens(account, [kind])
  const id = randomUUID()
  const { codeChallenge } = target
  const token = `${codeChallenge === null ? '' : CODED_PREFIX}${makeOpaqueToken().token}`
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  await trx
    .insertInto('auth_one_time_tokens')
    .values({
      id,
      user_id: user.id,
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
