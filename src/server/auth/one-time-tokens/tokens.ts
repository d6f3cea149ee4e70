import { randomInt, randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { HOUR_MS } from '#contract/durations.ts'
import type { Db } from '#server/db/database.ts'
import type { AuthOneTimeTokens } from '#server/db/schema/auth.ts'
import { aheadRange } from '#server/db/time.ts'
import { countHit } from '#server/http/limits/counter.ts'
import { CODE_GUESSES } from '#server/http/limits/limits.ts'
import { hashOpaqueToken, isSameSecret, keyedHash, makeOpaqueToken } from '#server/secrets/tokens.ts'
import type { LockedAccount } from '../accounts/change-account.ts'
import { deleteTokens } from '../accounts/credentials.ts'
import type { UserRow } from '../accounts/users.ts'
import type { AuthContext } from '../context.ts'
import type { LinkTarget } from './redirects.ts'

export type TokenRow = Selectable<AuthOneTimeTokens>

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

/** Each guess is counted before it is checked, so that parallel guesses learn no more than the limit allows. */
export async function findByCode(
  db: Db,
  secret: string,
  { code, sentTo, kinds }: { code: string; sentTo: string; kinds: readonly TokenKind[] },
): Promise<TokenRow | undefined> {
  const candidates =
    kinds.length === 0
      ? []
      : await pending(db, kinds).where('sent_to', '=', sentTo).orderBy('created_at', 'desc').execute()
  // A write here as well: the response time must not reveal that an email was sent to this address.
  if (candidates.length === 0) await countHit(db, 'one-time:unknown', 60_000)
  for (const candidate of candidates) {
    const { numUpdatedRows } = await db
      .updateTable('auth_one_time_tokens')
      .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
      .where('id', '=', candidate.id)
      .where('attempts', '<', CODE_GUESSES)
      .executeTakeFirst()
    const isRight =
      candidate.code_hash !== null && isSameSecret(candidate.code_hash, keyedHash(secret, candidate.id, code))
    if (numUpdatedRows > 0n && isRight) return candidate
  }
  return undefined
}

/** Returns whether it was still unused: of two uses, one fails. */
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

const SENT_AT = {
  recovery: 'recovery_sent_at',
  magiclink: 'recovery_sent_at',
  signup: 'confirmation_sent_at',
  invite: 'invited_at',
  email_change_current: 'email_change_sent_at',
  email_change_new: 'email_change_sent_at',
  reauthentication: 'reauthentication_sent_at',
} as const satisfies Record<TokenKind, keyof UserRow>

/** Both mailboxes get a token. */
export const EMAIL_CHANGE_KINDS = ['email_change_current', 'email_change_new'] as const

/** Part of the account's transaction, so that the tokens match its addresses; the account's row stores the time. */
export async function issueTokens(
  { codeSecret }: AuthContext,
  account: LockedAccount,
  kinds: readonly TokenKind[],
  target: LinkTarget,
  now = new Date(),
): Promise<IssuedToken[]> {
  const tokens: IssuedToken[] = []
  for (const kind of kinds) {
    const { email, new_email: newEmail } = account.user
    const sentTo = kind === 'email_change_new' ? (newEmail ?? '') : email
    tokens.push(await insertToken(account, codeSecret, { kind, sentTo, target }, now))
    await account.update({ [SENT_AT[kind]]: now.toISOString() })
  }
  return tokens
}

export const TOKEN_LIFE_MS = HOUR_MS

/** Prefix of tokens whose link leads to a listed address with a code, as in the protocol. */
export const CODED_PREFIX = 'pkce_'

export interface IssuedToken {
  kind: TokenKind
  sentTo: string
  /** For the link. */
  token: string
  /** For typing. */
  code: string
}

interface NewToken {
  kind: TokenKind
  sentTo: string
  target: LinkTarget
}

/** Only the newest of its kind is valid. */
async function insertToken(
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

/** What a one-time token proves, and so what it may do. */
export type TokenKind =
  | 'recovery'
  | 'magiclink'
  | 'signup'
  | 'invite'
  | 'email_change_current'
  | 'email_change_new'
  | 'reauthentication'

/** The protocol's verification types and the token kinds that each accepts. */
const KINDS_OF_TYPE: Record<string, readonly TokenKind[]> = {
  recovery: ['recovery'],
  magiclink: ['magiclink'],
  signup: ['signup'],
  invite: ['invite'],
  email: ['signup', 'magiclink'],
  email_change: ['email_change_current', 'email_change_new'],
}

export function kindsOfType(type: string): readonly TokenKind[] | undefined {
  return Object.hasOwn(KINDS_OF_TYPE, type) ? KINDS_OF_TYPE[type] : undefined
}

/** The type in a link of this kind. */
export function typeOfKind(kind: TokenKind): string {
  return kind === 'email_change_current' || kind === 'email_change_new' ? 'email_change' : kind
}
