import type { AuthContext } from '../auth-context.ts'
import { inTransaction } from '../in-transaction.ts'
import { authIssuer } from '../keys/key-ring.ts'
import type { Letter, LetterInput } from '../mail/letter.ts'
import type { OutgoingMail } from '../mail/mail-transport.ts'
import { renderLetter } from '../mail/render-letter.ts'
import { emailChangeCurrentLetter } from '../mail/templates/email-change-current.ts'
import { emailChangeNewLetter } from '../mail/templates/email-change-new.ts'
import { magicLinkLetter } from '../mail/templates/magic-link.ts'
import { reauthenticationLetter } from '../mail/templates/reauthentication.ts'
import { recoveryLetter } from '../mail/templates/recovery.ts'
import { signUpLetter } from '../mail/templates/sign-up.ts'
import type { UserRow } from '../users/user-object.ts'
import { type IssuedToken, issueToken } from './issue-token.ts'
import { type Kind, typeOfKind } from './kinds.ts'
import { countMail } from './mail-limits.ts'

const LETTERS: Record<Kind, (input: LetterInput) => Letter> = {
  recovery: recoveryLetter,
  magiclink: magicLinkLetter,
  signup: signUpLetter,
  email_change_current: emailChangeCurrentLetter,
  email_change_new: emailChangeNewLetter,
  reauthentication: reauthenticationLetter,
}

const SENT_AT = {
  recovery: 'recovery_sent_at',
  magiclink: 'recovery_sent_at',
  signup: 'confirmation_sent_at',
  email_change_current: 'email_change_sent_at',
  email_change_new: 'email_change_sent_at',
  reauthentication: 'reauthentication_sent_at',
} as const satisfies Record<Kind, keyof UserRow>

/** Makes the tokens and writes the letters that carry them. Belongs behind the answer, in the mail queue. */
export async function mailTokens(
  context: AuthContext,
  user: UserRow,
  kinds: readonly Kind[],
  redirectTo: string | null = null,
): Promise<OutgoingMail[]> {
  for (const _ of kinds)
    if (!(await countMail(context.db))) throw new Error('the hourly limit of mail is reached')
  const now = new Date()
  const issued = await inTransaction(context.db, async (trx) => {
    const tokens: IssuedToken[] = []
    for (const kind of kinds) {
      const sentTo = kind === 'email_change_new' ? (user.new_email ?? '') : user.email
      tokens.push(await issueToken(trx, context.codeSecret, { userId: user.id, kind, sentTo }, now))
      await trx
        .updateTable('auth_users')
        .set({ [SENT_AT[kind]]: now.toISOString() })
        .where('id', '=', user.id)
        .execute()
    }
    return tokens
  })
  return issued.map((token) => compose(context, user, token, redirectTo))
}

function compose(
  { config }: AuthContext,
  user: UserRow,
  { kind, sentTo, token, code }: IssuedToken,
  redirectTo: string | null,
): OutgoingMail {
  const { brandName } = config.site
  const link = new URL(`${authIssuer(config)}/verify`)
  link.searchParams.set('token', token)
  link.searchParams.set('type', typeOfKind(kind))
  if (redirectTo !== null) link.searchParams.set('redirect_to', redirectTo)
  const letter = LETTERS[kind]({ brandName, url: link.href, code, newEmail: user.new_email ?? '' })
  return { kind, to: sentTo, ...renderLetter(letter, brandName) }
}
