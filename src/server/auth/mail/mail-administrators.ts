import type { AuthContext } from '../auth-context.ts'
import { takeMail } from './mail-limits.ts'
import { renderLetter } from './render-letter.ts'

export interface News {
  kind: string
  subject: string
  paragraphs: string[]
  /** Of the dashboard. */
  path: string
  label: string
}

/** Writes to everybody who has a role, each within what their account may be sent in an hour. */
export function mailAdministrators(
  { db, config, mail }: Pick<AuthContext, 'db' | 'config' | 'mail'>,
  { kind, subject, paragraphs, path, label }: News,
): void {
  mail.later(async () => {
    const people = await db
      .selectFrom('auth_users')
      .innerJoin('admin_roles', 'admin_roles.user_id', 'auth_users.id')
      .select(['auth_users.id', 'auth_users.email', 'auth_users.mailbox_proved_at'])
      .where('auth_users.deleted_at', 'is', null)
      .execute()
    const { brandName } = config.site
    const letter = renderLetter(
      {
        subject,
        paragraphs,
        action: { label, url: (config.adminUrl ?? config.siteUrl) + path },
        closing: ['Você recebe este aviso porque administra o site.'],
      },
      brandName,
    )
    const reachable = await Promise.all(
      people.map(async (user) => ((await takeMail(db, user, 'notice')) ? [user] : [])),
    )
    return reachable.flat().map(({ email }) => ({ kind, to: email, ...letter }))
  })
}
