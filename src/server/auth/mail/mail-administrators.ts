import { selectAdministrators } from '#server/db/administrators.ts'
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
    const people = await selectAdministrators(db, Date.now())
      .select(['auth_users.id', 'auth_users.email', 'auth_users.mailbox_proved_at'])
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
    // Each by itself: one who is over their limit keeps nobody else from hearing of it.
    for (const user of people)
      mail.later(async () =>
        (await takeMail(db, user, 'notice')) ? [{ kind, to: user.email, ...letter }] : [],
      )
    return []
  })
}
