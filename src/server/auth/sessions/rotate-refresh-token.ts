import { randomUUID } from 'node:crypto'
import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import { engineOf } from '#server/db/column-types.ts'
import type { Db } from '#server/db/database.ts'
import { isStillAhead } from '#server/db/stored-time.ts'
import { hashOpaqueToken } from '#server/http/opaque-token.ts'
import { authError } from '../protocol/auth-error.ts'
import type { UserRow } from '../users/user-object.ts'
import { isLoginOpen } from './is-login-alive.ts'
import { LOGIN_IDLE_MS } from './login-cookie.ts'
import type { OpenSession } from './open-session.ts'
import { pruneRefreshTokens } from './prune-refresh-tokens.ts'
import { makeRefreshToken, sessionOfRefreshToken } from './refresh-token.ts'

/** Parallel calls with the same token do not count as theft. */
const REUSE_WINDOW_MS = 10_000
/** For clients that keep their own session, without a browser's login. */
export const SESSION_IDLE_MS = 30 * 24 * 60 * 60 * 1000

type Rotation =
  | { kind: 'rotated'; user: UserRow; session: OpenSession }
  | { kind: 'refused'; code: string; message: string }

/** Exchanges a refresh token for the next one of its session. */
export async function rotateRefreshToken(
  db: Db,
  token: string,
  now = new Date(),
): Promise<{ user: UserRow; session: OpenSession }> {
  const rotation = await change(db, (trx) => rotate(trx, token, now))
  // Thrown outside: a refusal may have ended the session, and that must stay.
  if (rotation.kind === 'refused') throw authError(400, rotation.code, rotation.message)
  return rotation
}

async function rotate(trx: Db, token: string, now: Date): Promise<Rotation> {
  const hash = hashOpaqueToken(token)
  const session = await lockSession(trx, hash, sessionOfRefreshToken(token))
  if (session === undefined)
    return refused('refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')
  const user = await trx
    .selectFrom('auth_users')
    .selectAll()
    .where('id', '=', session.user_id)
    .executeTakeFirstOrThrow()
  if (user.banned_until !== null && Date.parse(user.banned_until) > now.getTime())
    return refused('user_banned', 'Invalid Refresh Token: User Banned')
  const expired = await whyExpired(trx, session, now)
  if (expired !== null) {
    await trx.deleteFrom('auth_sessions').where('id', '=', session.id).execute()
    return refused('session_expired', expired)
  }
  if (!(await spend(trx, hash, now))) {
    await trx.deleteFrom('auth_sessions').where('id', '=', session.id).execute()
    await recordAudit(trx, {
      actor_id: user.id,
      actor: user.email,
      action: 'auth.refresh_token_reused',
      subject: session.id,
    })
    return refused('refresh_token_already_used', 'Invalid Refresh Token: Already Used')
  }
  const refreshToken = await addChild(trx, session.id, hash, now)
  await pruneRefreshTokens(trx, session.id, new Date(now.getTime() - REUSE_WINDOW_MS).toISOString())
  await touch(trx, session, now)
  return {
    kind: 'rotated',
    user,
    session: { sessionId: session.id, aal: session.aal, amr: session.amr, refreshToken },
  }
}

type LockedSession = NonNullable<Awaited<ReturnType<typeof lockSession>>>

/**
 * One exchange of a session at a time: the embedded engine has one writer anyway, PostgreSQL locks the rows. The login
 * first, as everything does that ends one: the other way round, a logout and a refresh would wait for each other.
 */
async function lockSession(trx: Db, tokenHash: string, claimedId: string | null) {
  const known = await trx
    .selectFrom('auth_refresh_tokens')
    .select('session_id')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  // A pruned token has no row; its session is the one that it names.
  const id = known?.session_id ?? claimedId
  if (id === null) return undefined
  const session = trx.selectFrom('auth_sessions').where('id', '=', id)
  if (engineOf(trx) === 'sqlite') return session.selectAll().executeTakeFirst()
  await trx
    .selectFrom('auth_logins')
    .select('id')
    .where('id', '=', session.select('login_id'))
    .forUpdate()
    .execute()
  return session.selectAll().forUpdate().executeTakeFirst()
}

async function whyExpired(trx: Db, session: LockedSession, now: Date): Promise<string | null> {
  const idleSince = (time: string, limit: number) => Date.parse(time) + limit <= now.getTime()
  if (session.login_id === null)
    return idleSince(session.last_used_at, SESSION_IDLE_MS)
      ? 'Invalid Refresh Token: Session Expired (Inactivity)'
      : null
  const login = await trx
    .selectFrom('auth_logins')
    .select(['last_used_at', 'expires_at'])
    .where('id', '=', session.login_id)
    .executeTakeFirstOrThrow()
  if (!isLoginOpen(login.expires_at, now.getTime())) return 'Invalid Refresh Token: Session Expired'
  return idleSince(login.last_used_at, LOGIN_IDLE_MS)
    ? 'Invalid Refresh Token: Session Expired (Inactivity)'
    : null
}

/** Marks the token as used now, and says whether it may still be exchanged. */
async function spend(trx: Db, tokenHash: string, now: Date): Promise<boolean> {
  const token = await trx
    .selectFrom('auth_refresh_tokens')
    .select(['id', 'used_at', 'retired_at'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  // Pruned, or retired: settled long ago.
  if (token === undefined || token.retired_at !== null) return false
  if (token.used_at !== null) {
    const reuseEndsAt = Date.parse(token.used_at) + REUSE_WINDOW_MS
    if (isStillAhead(reuseEndsAt, REUSE_WINDOW_MS, now.getTime())) return true
    // The answer that carried the child was lost, if nobody ever came with it.
    const children = await trx
      .selectFrom('auth_refresh_tokens')
      .select('used_at')
      .where('parent_id', '=', token.id)
      .execute()
    if (children.some((child) => child.used_at !== null)) return false
    await trx
      .updateTable('auth_refresh_tokens')
      .set({ retired_at: now.toISOString() })
      .where('parent_id', '=', token.id)
      .where('retired_at', 'is', null)
      .execute()
  }
  await trx
    .updateTable('auth_refresh_tokens')
    .set({ used_at: now.toISOString() })
    .where('id', '=', token.id)
    .execute()
  return true
}

async function addChild(trx: Db, sessionId: string, parentHash: string, now: Date): Promise<string> {
  const { token, hash } = makeRefreshToken(sessionId)
  await trx
    .insertInto('auth_refresh_tokens')
    .values((eb) => ({
      id: randomUUID(),
      session_id: sessionId,
      token_hash: hash,
      parent_id: eb.selectFrom('auth_refresh_tokens').select('id').where('token_hash', '=', parentHash),
      created_at: now.toISOString(),
    }))
    .execute()
  return token
}

async function touch(trx: Db, session: LockedSession, now: Date): Promise<void> {
  const last_used_at = now.toISOString()
  await trx.updateTable('auth_sessions').set({ last_used_at }).where('id', '=', session.id).execute()
  if (session.login_id !== null)
    await trx.updateTable('auth_logins').set({ last_used_at }).where('id', '=', session.login_id).execute()
}

function refused(code: string, message: string): Rotation {
  return { kind: 'refused', code, message }
}
