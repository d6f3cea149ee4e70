import type { Db } from '#server/db/database.ts'

/** The content of an e-mail; `render-letter.ts` decides how it looks. */
export interface Letter {
  subject: string
  /** Shown by mail programs beside the subject, and nowhere in the mail. */
  preview?: string
  paragraphs: string[]
  action?: { label: string; url: string }
  /** The six digits, for whoever reads mail on another device. */
  code?: { lead: string; digits: string }
  /** After the link or the code: how long it lasts, and what to do if it was not them. */
  closing: string[]
}

export interface LetterInput {
  brandName: string
  /** Where the account is, in words, with its preposition. */
  place: string
  isAdministrator: boolean
  /** Opens the dashboard with the one-time token. */
  url: string
  code: string
  newEmail: string
}

/** Administrators have an account in the dashboard; whoever has no role knows nothing of one. */
export async function accountPlace(
  db: Db,
  userId: string,
  brandName: string,
): Promise<{ place: string; isAdministrator: boolean }> {
  const role = await db
    .selectFrom('admin_roles')
    .select('role')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  const isAdministrator = role !== undefined
  return { place: isAdministrator ? `no painel ${brandName}` : `em ${brandName}`, isAdministrator }
}
