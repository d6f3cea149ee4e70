import { recordAudit } from '#server/activity/trail.ts'
import type { Db } from '#server/db/database.ts'
import { engineOf } from '#server/db/dialect.ts'
import { change } from '#server/db/transactions/change.ts'
import { hashOpaqueToken } from '#server/secrets/tokens.ts'
import { accessRefusal } from '../accounts/rules.ts'
import type { UserRow } from '../accounts/users.ts'
import type { AuthContext } from '../context.ts'
import { authError } from '../protocol.ts'
import { LOGIN_IDLE_MS } from './cookies.ts'
import type { OpenSession } from './issue.ts'
import { isLoginOpen, SESSION_IDLE_MS } from './revoke.ts'
import { judgeRefresh, readRefreshToken, type ShownToken, signRefreshToken } from './tokens.ts'

type Rotation =
  | { kind: 'rotated'; user: UserRow; session: OpenSession }
  | { kind: 'refused'; code: string; message: string }

const NOT_FOUND = refused('refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')

/** Exchanges a refresh token for the next one of its session. */
export async function rotateRefreshToken(
  { db, refreshSecret }: Pick<AuthContext, 'db' | 'refreshSecret'>,
  token: string,
  now?: Date,
): Promise<{ user: UserRow; session: OpenSession }> {
  const shown = readRefreshToken(refreshSecret, token) ?? (await findStoredToken(db, token))
  const rotation =
    shown === null ? NOT_FOUND : await change(db, (trx) => rotate(trx, refreshSecret, shown, now))
  // Thrown outside of the transaction: the refusal may have ended the session, which must be committed.
  if (rotation.kind === 'refused') throw authError(400, rotation.code, rotation.message)
  return rotation
}

/** The next token of a session, as if the newest had been exchanged. */
export async function renewRefreshToken(
  { refreshSecret }: Pick<AuthContext, 'refreshSecret'>,
  trx: Db,
  sessionId: string,
  now: Date,
): Promise<string> {
  const { refresh_counter } = await trx
    .updateTable('auth_sessions')
    .set((eb) => ({ refresh_counter: eb('refresh_counter', '+', 1), refreshed_at: now.toISOString() }))
    .where('id', '=', sessionId)
    .returning('refresh_counter')
    .executeTakeFirstOrThrow()
  return signRefreshToken(refreshSecret, sessionId, refresh_counter)
}

async function rotate(trx: Db, secret: string, shown: ShownToken, at: Date | undefined): Promise<Rotation> {
  const session = await lockSession(trx, shown.sessionId)
  if (session === undefined) return NOT_FOUND
  // Read after the lock: the session may have been refreshed while this call waited.
  const now = at ?? new Date()
  const user = await trx
    .selectFrom('auth_users')
    .selectAll()
    .where('id', '=', session.user_id)
    .executeTakeFirstOrThrow()
  const refusal = accessRefusal(user, now.getTime())
  if (refusal === 'user_banned') return refused(refusal, 'Invalid Refresh Token: User Banned')
  if (refusal !== null) return NOT_FOUND
  const expired = await whyExpired(trx, session, now)
  if (expired !== null) {
    await trx.deleteFrom('auth_sessions').where('id', '=', session.id).execute()
    return refused('session_expired', expired)
  }
  const refreshedAt = Date.parse(session.refreshed_at ?? session.created_at)
  const refresh = judgeRefresh(shown.counter, session.refresh_counter, refreshedAt, now.getTime())
  if (refresh === 'reused') {
    await trx.deleteFrom('auth_sessions').where('id', '=', session.id).execute()
    await recordAudit(trx, {
      actor_id: user.id,
      actor: user.email,
      action: 'auth.refresh_token_reused',
      subject: session.id,
    })
    return refused('refresh_token_already_used', 'Invalid Refresh Token: Already Used')
  }
  const counter = 'rotate' in refresh ? refresh.rotate : refresh.repeat
  const last_used_at = now.toISOString()
  const rotated = 'rotate' in refresh ? { refresh_counter: counter, refreshed_at: last_used_at } : {}
  await trx
    .updateTable('auth_sessions')
    .set({ last_used_at, ...rotated })
    .where('id', '=', session.id)
    .execute()
  if (session.login_id !== null)
    await trx.updateTable('auth_logins').set({ last_used_at }).where('id', '=', session.login_id).execute()
  const refreshToken = signRefreshToken(secret, session.id, counter)
  return {
    kind: 'rotated',
    user,
    session: { sessionId: session.id, aal: session.aal, amr: session.amr, refreshToken },
  }
}

/** A token of the old form: the newest of its session, the one before, or a retired one. */
async function findStoredToken(db: Db, token: string): Promise<ShownToken | null> {
  const row = await db
    .selectFrom('auth_refresh_tokens')
    .select(['session_id', 'used_at', 'retired_at'])
    .where('token_hash', '=', hashOpaqueToken(token))
    .executeTakeFirst()
  if (row === undefined) return null
  const unretired = row.used_at === null ? 0 : -1
  return { sessionId: row.session_id, counter: row.retired_at === null ? unretired : -2 }
}

type LockedSession = NonNullable<Awaited<ReturnType<typeof lockSession>>>

/**
 * Serialises exchanges of a session: SQLite has one writer, PostgreSQL locks the rows. The login is locked first, in
 * the common order, so that a logout and a refresh do not deadlock.
 */
async function lockSession(trx: Db, id: string) {
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

function refused(code: string, message: string): Rotation {
  return { kind: 'refused', code, message }
}
