import type { Db } from '#server/db/database.ts'
import { deleteTokens } from '../one-time-tokens/delete-tokens.ts'
import { endSessions } from '../sessions/end-sessions.ts'

/** Passkeys, second factors, recovery codes, links by mail and sessions of an account: whoever had one has it no more. */
export async function closeEveryWayIn(trx: Db, userId: string): Promise<void> {
  await trx.deleteFrom('auth_passkeys').where('user_id', '=', userId).execute()
  await trx.deleteFrom('auth_factors').where('user_id', '=', userId).execute()
  await trx.deleteFrom('auth_recovery_codes').where('user_id', '=', userId).execute()
  await deleteTokens(trx, userId)
  await endSessions(trx, userId)
}
