import type { Config } from '../../config.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Db } from '../../db/database.ts'
import { aheadRange } from '../../db/stored-time.ts'
import { refuseTakenEmail } from '../accounts.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { refuseChangeOfPrincipal } from '../users/refuse-on-principal.ts'
import type { UserRow } from '../users/user-object.ts'
import { spendToken, type TokenRow } from './find-token.ts'
import { forgetTokens, TOKEN_LIFE_MS } from './issue-token.ts'

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
  // Holds the row, so that two confirmations at once cannot both believe to be the first.
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
  await forgetTokens(trx, user.id)
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
