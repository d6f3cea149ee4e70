import type { Db } from '#server/db/database.ts'
import type { AuthContext } from '../auth-context.ts'
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

/** Tells a person what was changed about how they sign in. Inside the transaction of the change: in `afterCommit`. */
export function sendNotice({ db, config, mail }: AuthContext, { user, kind, by }: Notice): void {
  const at = new Date()
  mail.later(async () => {
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
