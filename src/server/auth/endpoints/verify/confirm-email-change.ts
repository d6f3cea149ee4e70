import { spendToken, type TokenRow } from '#server/auth/one-time-tokens/find-token.ts'
import { TOKEN_LIFE_MS } from '#server/auth/one-time-tokens/insert-token.ts'
import { refuseTakenEmail } from '#server/auth/users/accounts.ts'
import type { LockedAccount } from '#server/auth/users/change-account.ts'
import { refuseChangeOfPrincipal } from '#server/auth/users/rules.ts'
import type { Config } from '#server/config.ts'
import { aheadRange } from '#server/db/stored-time.ts'

/**
 * Both mailboxes must agree: whoever took over a session cannot take the account away, and a mistyped address locks
 * nobody out. False after the first of the two; after the second, the account has the new address. Each confirmation is
 * of one address: what was mailed about another one, or to another one, confirms nothing.
 */
export async function confirmEmailChange(
  account: LockedAccount,
  config: Config,
  token: TokenRow,
  fail: () => Error,
): Promise<boolean> {
  const { trx, user } = account
  const newEmail = user.new_email
  if (newEmail === null || !(await spendToken(trx, token.id))) throw fail()
  const { after: now, upTo } = aheadRange(TOKEN_LIFE_MS, Date.now())
  const other = token.kind === 'email_change_new' ? 'email_change_current' : 'email_change_new'
  const confirmed = await trx
    .selectFrom('auth_one_time_tokens')
    .select('id')
    .where('user_id', '=', user.id)
    .where('kind', '=', other)
    .where('sent_to', '=', other === 'email_change_new' ? newEmail : user.email)
    .where('used_at', 'is not', null)
    .where('expires_at', '>', now)
    .where('expires_at', '<=', upTo)
    .executeTakeFirst()
  if (confirmed === undefined) return false
  refuseChangeOfPrincipal(config, user.email)
  await refuseTakenEmail(trx, user.id, newEmail)
  await account.audit('user.email_changed', { before: { email: user.email }, after: { email: newEmail } })
  await account.update({
    email: newEmail,
    new_email: null,
    email_confirmed_at: now,
    mailbox_proved_at: now,
    updated_at: now,
  })
  await account.revoke('email_confirmed')
  return true
}
