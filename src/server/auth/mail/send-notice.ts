import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import type { AuthContext } from '../auth-context.ts'
import { LockedAccount } from '../users/change-account.ts'
import type { UserRow } from '../users/user-object.ts'
import { type NoticeKind, noticeEmail, type WhoActed } from './emails.ts'
import { accountPlace } from './letter.ts'
import { takeMail } from './mail-limits.ts'
import { renderLetter } from './render-letter.ts'

export interface Notice {
  /** As it was before the change: a changed address is told to the one that was left. */
  user: Pick<UserRow, 'id' | 'email' | 'mailbox_proved_at'>
  kind: NoticeKind
  by: WhoActed
}

/**
 * Tells a person what was changed about how they sign in. Called inside the transaction of the change, with the person's
 * row written, it takes `isDone`: the row is free again when that transaction has ended, and shows whether it was kept.
 */
export function sendNotice(
  { db, config, mail }: AuthContext,
  { user, kind, by }: Notice,
  isDone?: (current: UserRow) => boolean,
): void {
  const at = new Date()
  mail.later(async () => {
    if (isDone !== undefined) {
      const current = await change(db, (trx) => LockedAccount.lock(trx, { userId: user.id }))
      if (current === undefined || !isDone(current.user)) return []
    }
    if (!(await takeMail(db, user, 'notice'))) return []
    const { brandName } = config.site
    const { place, isAdministrator } = await accountPlace(db, user.id, brandName)
    const adminUrl = isAdministrator ? (config.adminUrl ?? config.siteUrl) : null
    const factors = await countFactors(db, user.id)
    const letter = noticeEmail({ kind, by, at, place, brandName, factors, adminUrl })
    return [{ kind: `notice-${kind}`, to: user.email, ...renderLetter(letter, brandName) }]
  })
}

async function countFactors(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('auth_factors')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('user_id', '=', userId)
    .where('status', '=', 'verified')
    .executeTakeFirstOrThrow()
  return Number(count)
}
