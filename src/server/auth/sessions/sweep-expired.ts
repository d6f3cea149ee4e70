import type { Db } from '#server/db/database.ts'
import { inSteps } from '#server/db/in-steps.ts'
import { sweepRows } from '#server/db/sweep-rows.ts'
import { LOGIN_IDLE_MS } from './login-cookie.ts'
import { SESSION_IDLE_MS } from './rotate-refresh-token.ts'

/** Each with an `expires_at`, after which it is accepted nowhere. */
const EXPIRING = [
  'auth_logins',
  'auth_challenges',
  'auth_spent_challenges',
  'auth_link_codes',
  'auth_one_time_tokens',
] as const

/** Run now and then: what has expired is accepted nowhere, so its rows can go. */
export async function sweepExpired(
  db: Db,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<Record<string, number>> {
  const before = (ms: number) => new Date(now - ms).toISOString()
  const removed: Record<string, number> = {}
  const count = (table: string, rows: number) => {
    removed[table] = (removed[table] ?? 0) + rows
  }
  for (const table of EXPIRING)
    count(table, await sweepRows(db, { table, time: 'expires_at', upTo: before(0) }, signal))
  const idle = { table: 'auth_logins', time: 'last_used_at', upTo: before(LOGIN_IDLE_MS) } as const
  count('auth_logins', await sweepRows(db, idle, signal))
  const sessions = await inSteps(async (rows) => {
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
  count('auth_sessions', sessions)
  return removed
}
