import type { Db } from '#server/db/database.ts'

/** What changes how a person signs in invalidates every mail that was sent before. */
export async function deleteTokens(trx: Db, userId: string): Promise<void> {
  await trx.deleteFrom('auth_one_time_tokens').where('user_id', '=', userId).execute()
}
