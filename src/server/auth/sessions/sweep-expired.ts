import type { Db } from '#server/db/database.ts'
import { inSteps } from '#server/db/in-steps.ts'
import { LOGIN_IDLE_MS } from './login-cookie.ts'
import { SESSION_IDLE_MS } from './rotate-refresh-token.ts'

/** Run now and then: what has expired is accepted nowhere, so its rows can go. */
export async function sweepExpired(db: Db, signal?: AbortSignal, now = Date.now()): Promise<void> {
  const before = (ms: number) => new Date(now - ms).toISOString()
  await sweep(db, 'auth_logins', 'expires_at', before(0), signal)
  await sweep(db, 'auth_logins', 'last_used_at', before(LOGIN_IDLE_MS), signal)
  await sweep(db, 'auth_challenges', 'expires_at', before(0), signal)
  await sweep(db, 'auth_one_time_tokens', 'expires_at', before(0), signal)
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

type Sweepable = 'auth_logins' | 'auth_challenges' | 'auth_one_time_tokens'

async function sweep(
  db: Db,
  table: Sweepable,
  column: 'expires_at' | 'last_used_at',
  before: string,
  signal?: AbortSignal,
): Promise<void> {
  const { ref } = db.dynamic
  await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where('id', 'in', (eb) =>
        eb.selectFrom(table).select('id').where(ref(column), '<=', before).limit(rows),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
}
