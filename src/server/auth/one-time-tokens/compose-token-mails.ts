import { change } from '#server/db/change.ts'
import type { AuthContext } from '../auth-context.ts'
import { TOKEN_EMAILS } from '../mail/emails.ts'
import { accountPlace, type LetterInput } from '../mail/letter.ts'
import { type MailCause, takeMail } from '../mail/mail-limits.ts'
import type { OutgoingMail } from '../mail/mail-transport.ts'
import { renderLetter } from '../mail/render-letter.ts'
import { LockedAccount } from '../users/change-account.ts'
import { accessRefusal } from '../users/rules.ts'
import type { UserRow } from '../users/user-object.ts'
import { type IssuedToken, TOKEN_LIFE_MS } from './insert-token.ts'
import { issueTokens } from './issue-tokens.ts'
import type { TokenKind } from './token-kind.ts'
import { tokenLink } from './token-link.ts'

interface TokenMail {
  user: UserRow
  kinds: readonly TokenKind[]
  redirectTo?: string | null
  codeChallenge?: string | null
  cause: MailCause
  /** The address that they were asked from, where anybody could ask. */
  askedFrom?: string
}

/**
 * Makes the tokens and writes the letters that carry them, for the account as it is by then. Belongs behind the answer, in
 * the mail queue.
 */
export async function composeTokenMails(
  context: AuthContext,
  { user, kinds, redirectTo = null, codeChallenge = null, cause, askedFrom }: TokenMail,
): Promise<OutgoingMail[]> {
  for (const _ of kinds) if (!(await takeMail(context.db, user, cause, askedFrom))) return []
  const { current, issued } = await change(context.db, async (trx) => {
    const account = await LockedAccount.lock(trx, { userId: user.id })
    if (account === undefined || accessRefusal(account.user) !== null) return { current: user, issued: [] }
    const isOver = kinds.includes('email_change_new') && account.user.new_email === null
    const target = { redirectTo, codeChallenge }
    return {
      issued: await issueTokens(context, account, isOver ? [] : kinds, target),
      current: account.user,
    }
  })
  return composeIssued(context, current, issued, redirectTo)
}

export async function composeIssued(
  context: AuthContext,
  user: UserRow,
  issued: readonly IssuedToken[],
  redirectTo: string | null,
): Promise<OutgoingMail[]> {
  const account = await accountPlace(context.db, user.id, context.config.site.brandName)
  return issued.map((token) => compose(context, user, account, token, redirectTo))
}

function compose(
  { config }: AuthContext,
  user: UserRow,
  account: Pick<LetterInput, 'place' | 'isAdministrator'>,
  { kind, sentTo, token, code }: IssuedToken,
  redirectTo: string | null,
): OutgoingMail {
  const { brandName } = config.site
  const url = tokenLink(config, { kind, token }, redirectTo)
  const letter = TOKEN_EMAILS[kind]({ brandName, ...account, url, code, newEmail: user.new_email ?? '' })
  return { kind, to: sentTo, usefulMs: TOKEN_LIFE_MS, ...renderLetter(letter, brandName) }
}
