import type { LockedAccount } from '../users/change-account.ts'
import type { TokenKind } from './token-kind.ts'

/** What changes how a person signs in invalidates every mail that was sent before; or those of some kinds alone. */
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
