import type { Db } from '#server/db/database.ts'

/** When somebody else replaces a password, whoever had the account must not keep another way in. */
export async function deletePasskeys(trx: Db, userId: string): Promise<void> {
  await trx.deleteFrom('auth_passkeys').where('user_id', '=', userId).where('factor_id', 'is', null).execute()
}
