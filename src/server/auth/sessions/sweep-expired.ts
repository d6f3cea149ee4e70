import type { Db } from '../../db/database.ts'
import { LOGIN_IDLE_MS } from './login-cookie.ts'

/** Run now and then: what is past its time opens nothing, so its rows are only weight. */
export async function sweepExpired(db: Db, now = Date.now()): Promise<void> {
  await db
    .deleteFrom('auth_logins')
    .where((eb) =>
      eb.or([
        eb('expires_at', '<=', new Date(now).toISOString()),
        eb('last_used_at', '<=', new Date(now - LOGIN_IDLE_MS).toISOString()),
      ]),
    )
    .execute()
  const at = new Date(now).toISOString()
  await db.deleteFrom('auth_challenges').where('expires_at', '<=', at).execute()
  await db.deleteFrom('auth_one_time_tokens').where('expires_at', '<=', at).execute()
}
