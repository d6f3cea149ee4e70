import type { FastifyReply, FastifyRequest } from 'fastify'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { hashOpaqueToken } from '#server/http/opaque-token.ts'
import type { AuthContext } from '../auth-context.ts'
import { LockedAccount } from '../users/change-account.ts'
import { withFactors } from '../users/find-user.ts'
import { accessRefusal } from '../users/rules.ts'
import type { UserRow } from '../users/user-object.ts'
import { endLogin } from './end-sessions.ts'
import { isLoginAlive } from './is-login-alive.ts'
import { clearLoginCookie, readLoginCookie } from './login-cookie.ts'
import { type OpenSession, openSession } from './open-session.ts'
import { type SessionObject, toSessionObject } from './session-object.ts'

/**
 * A fresh session for the tab that a person opens. The caller has made sure that this is a top-level navigation: the
 * cookie is good for nothing else.
 */
export async function bootSession(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SessionObject | null> {
  const cookie = readLoginCookie(request)
  if (cookie === null || cookie === '') return null
  // Anybody can send any text: only a login that is there is worth a transaction, for which others would wait.
  const opened = (await hasLogin(context.db, cookie))
    ? await change(context.db, (trx) => openTab(context, trx, cookie, request.headers['user-agent'] ?? ''))
    : null
  if (opened === null) {
    clearLoginCookie(reply)
    return null
  }
  return toSessionObject(context, await withFactors(context.db, opened.user), opened.session)
}

async function hasLogin(db: Db, cookie: string): Promise<boolean> {
  const login = await db
    .selectFrom('auth_logins')
    .select('id')
    .where('token_hash', '=', hashOpaqueToken(cookie))
    .executeTakeFirst()
  return login !== undefined
}

async function openTab(
  context: AuthContext,
  trx: Db,
  cookie: string,
  userAgent: string,
  now = new Date(),
): Promise<{ user: UserRow; session: OpenSession } | null> {
  const login = await trx
    .selectFrom('auth_logins')
    .selectAll()
    .where('token_hash', '=', hashOpaqueToken(cookie))
    .executeTakeFirst()
  if (login === undefined) return null
  const account = await LockedAccount.lock(trx, { userId: login.user_id })
  if (account === undefined) return null
  if (!isLoginAlive(login, now.getTime())) {
    await endLogin(account, login.id)
    return null
  }
  if (accessRefusal(account.user, now.getTime()) !== null) return null
  const touched = await trx
    .updateTable('auth_logins')
    .set({ last_used_at: now.toISOString() })
    .where('id', '=', login.id)
    .returning(['aal', 'amr'])
    .executeTakeFirst()
  // Signed out by another tab in this very moment.
  if (touched === undefined) return null
  // A tab is as sure of the person as the login that it comes from.
  const session = await openSession(context, account, { loginId: login.id, ...touched, userAgent }, now)
  return { user: account.user, session }
}
