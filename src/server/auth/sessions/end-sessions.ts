import type { Db } from '#server/db/database.ts'

/** Everything of one person ends at once, but for what is kept. */
export async function endSessions(
  trx: Db,
  userId: string,
  keep: { sessionId?: string | undefined; loginId?: string | null | undefined } = {},
): Promise<void> {
  let logins = trx.deleteFrom('auth_logins').where('user_id', '=', userId)
  if (keep.loginId != null) logins = logins.where('id', '!=', keep.loginId)
  await logins.execute()
  let sessions = trx.deleteFrom('auth_sessions').where('user_id', '=', userId)
  if (keep.sessionId !== undefined) sessions = sessions.where('id', '!=', keep.sessionId)
  await sessions.execute()
}

/** What a change of e-mail, password or role ends: a person who edits themselves keeps the session they do it in. */
export async function endOtherSessions(trx: Db, userId: string, sessionId: string | null): Promise<void> {
  if (sessionId === null) return endSessions(trx, userId)
  const own = await trx
    .selectFrom('auth_sessions')
    .select('login_id')
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return own === undefined
    ? endSessions(trx, userId)
    : endSessions(trx, userId, { sessionId, loginId: own.login_id })
}

/** A browser's login with all its tabs, or the one session of a client without a cookie. */
export async function endLogin(trx: Db, session: { id: string; login_id: string | null }): Promise<void> {
  if (session.login_id !== null)
    await trx.deleteFrom('auth_logins').where('id', '=', session.login_id).execute()
  await trx.deleteFrom('auth_sessions').where('id', '=', session.id).execute()
}
