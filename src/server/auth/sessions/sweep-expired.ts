import type { Db } from '#server/db/database.ts'
import { inSteps } from '#server/db/in-steps.ts'
import { sweepRows } from '#server/db/sweep-rows.ts'
import { LOGIN_IDLE_MS } from './login-cookie.ts'
import { SESSION_IDLE_MS } from './rotate-refresh-token.ts'

/** Run now and then: what has expired is accepted nowhere, so its rows can go. */
export async function sweepExpired(db: Db, signal?: AbortSignal, now = Date.now()): Promise<void> {
  const before = (ms: number) => new Date(now - ms).toISOString()
  await sweepRows(db, { table: 'auth_logins', time: 'expires_at', upTo: before(0) }, signal)
  await sweepRows(db, { table: 'auth_logins', time: 'last_used_at', upTo: before(LOGIN_IDLE_MS) }, signal)
  await sweepRows(db, { table: 'auth_challenges', time: 'expires_at', upTo: before(0) }, signal)
  await sweepRows(db, { table: 'auth_spent_challenges', time: 'expires_at', upTo: before(0) }, signal)
  await sweepRows(db, { table: 'auth_link_codes', time: 'expires_at', upTo: before(0) }, signal)
  await sweepRows(db, { table: 'auth_one_time_tokens', time: 'expires_at', upTo: before(0) }, signal)
  await inSteps(async (rows) => {
    // A session of a browser goes with its login; one without a cookie has only its own last use.
    const { numDeletedRows } = await db
      .deleteFrom('auth_sessions')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('auth_sessions')
          .select('id')
          .where('login_id', 'is', null)
          .where('last_used_at', '<=', before(SESSION_IDLE_MS))
          .limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
}
