import type { Db } from '#server/db/database.ts'

/** What a letter says; how it looks is decided in one place, `render-letter.ts`. */
export interface Letter {
  subject: string
  paragraphs: string[]
  action?: { label: string; url: string }
  /** The six digits, for who reads mail on another device. */
  code?: string
  /** After the link or the code: how long it lasts, and what to do if it was not them. */
  closing: string[]
}

export interface LetterInput {
  brandName: string
  /** Where the account is, in words, with its preposition. */
  place: string
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
