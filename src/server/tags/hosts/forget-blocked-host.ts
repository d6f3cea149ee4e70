import type { Db } from '../../db/database.ts'

/** Puts a host aside until somebody reports it again. */
export async function forgetBlockedHost(db: Db, blockedId: string): Promise<void> {
  await db.deleteFrom('blocked_hosts').where('id', '=', blockedId).execute()
}
