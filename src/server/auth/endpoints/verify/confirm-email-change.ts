import { deleteTokens } from '#server/auth/one-time-tokens/delete-tokens.ts'
import { spendToken, type TokenRow } from '#server/auth/one-time-tokens/find-token.ts'
import { TOKEN_LIFE_MS } from '#server/auth/one-time-tokens/insert-token.ts'
import { refuseChangeOfPrincipal } from '#server/auth/principal/refuse-on-principal.ts'
import { endSessions } from '#server/auth/sessions/end-sessions.ts'
import { refuseTakenEmail } from '#server/auth/users/accounts.ts'
import type { UserRow } from '#server/auth/users/user-object.ts'
import type { Config } from '#server/config.ts'
import { recordAudit } from '#server/db/audit.ts'
import type { Db } from '#server/db/database.ts'
import { aheadRange } from '#server/db/stored-time.ts'

/**
 * Both mailboxes must agree: whoever took over a session cannot take the account away, and a mistyped address locks
 * nobody out. Null after the first of the two; after the second, the person with the new address.
 */
export async function confirmEmailChange(
  trx: Db,
  config: Config,
  token: TokenRow,
  fail: () => Error,
): Promise<UserRow | null> {
  const { after: now, upTo } = aheadRange(TOKEN_LIFE_MS, Date.now())
  // Holds the row, so that two confirmations at once cannot both count as the first.
  const user = await trx
    .updateTable('auth_users')
    .set({ updated_at: now })
    .where('id', '=', token.user_id)
    .returningAll()
    .executeTakeFirst()
  if (user?.new_email == null || !(await spendToken(trx, token.id))) throw fail()
  const other = token.kind === 'email_change_new' ? 'email_change_current' : 'email_change_new'
  const confirmed = await trx
    .selectFrom('auth_one_time_tokens')
    .select('id')
    .where('user_id', '=', user.id)
    .where('kind', '=', other)
    .where('used_at', 'is not', null)
    .where('expires_at', '>', now)
    .where('expires_at', '<=', upTo)
    .executeTakeFirst()
  if (confirmed === undefined) return null
  refuseChangeOfPrincipal(config, user.email)
  await refuseTakenEmail(trx, user.id, user.new_email)
  const updated = await trx
    .updateTable('auth_users')
    .set({ email: user.new_email, new_email: null, email_confirmed_at: now, mailbox_proved_at: now })
    .where('id', '=', user.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await deleteTokens(trx, user.id)
  await endSessions(trx, user.id)
  await recordAudit(trx, {
    actor_id: user.id,
    actor: user.email,
    action: 'user.email_changed',
    subject: user.id,
    before: { email: user.email },
    after: { email: updated.email },
  })
  return updated
}
