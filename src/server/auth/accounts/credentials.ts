import type { Db } from '#server/db/database.ts'
import type { TokenKind } from '../one-time-tokens/tokens.ts'
import type { LockedAccount } from './change-account.ts'
import type { FactorRow } from './users.ts'

/** Deletes all second factors, or one. Returns those deleted. */
export async function deleteFactors(
  { trx, user }: LockedAccount,
  id?: string,
): Promise<Pick<FactorRow, 'id' | 'status'>[]> {
  return trx
    .deleteFrom('auth_factors')
    .where('user_id', '=', user.id)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .returning(['id', 'status'])
    .execute()
}

/** Deletes passkeys for sign-in, or those used as second factor too. */
export async function deletePasskeys({ trx, user }: LockedAccount, which: 'sign-in' | 'all'): Promise<void> {
  await trx
    .deleteFrom('auth_passkeys')
    .where('user_id', '=', user.id)
    .$if(which === 'sign-in', (query) => query.where('factor_id', 'is', null))
    .execute()
}

export async function deleteRecoveryCodes({ trx, user }: LockedAccount): Promise<void> {
  await trx.deleteFrom('auth_recovery_codes').where('user_id', '=', user.id).execute()
}

/** For everybody: the key of their hashes is gone. */
export async function deleteEveryRecoveryCode(trx: Db): Promise<void> {
  await trx.deleteFrom('auth_recovery_codes').execute()
}

/** Invalidates all emailed tokens, or those of some kinds. */
export async function deleteTokens(
  { trx, user }: LockedAccount,
  kinds: readonly TokenKind[] | 'all' = 'all',
): Promise<void> {
  await trx
    .deleteFrom('auth_one_time_tokens')
    .where('user_id', '=', user.id)
    .$if(kinds !== 'all', (query) => query.where('kind', 'in', kinds as readonly TokenKind[]))
    .execute()
}
