import type { AuthContext } from '../auth-context.ts'
import type { LockedAccount } from '../users/change-account.ts'
import type { UserRow } from '../users/user-object.ts'
import { type IssuedToken, insertToken } from './insert-token.ts'
import type { LinkTarget } from './link-target.ts'
import type { TokenKind } from './token-kind.ts'

const SENT_AT = {
  recovery: 'recovery_sent_at',
  magiclink: 'recovery_sent_at',
  signup: 'confirmation_sent_at',
  invite: 'invited_at',
  email_change_current: 'email_change_sent_at',
  email_change_new: 'email_change_sent_at',
  reauthentication: 'reauthentication_sent_at',
} as const satisfies Record<TokenKind, keyof UserRow>

/** Both mailboxes are asked. */
export const EMAIL_CHANGE_KINDS = ['email_change_current', 'email_change_new'] as const

/** Part of the account's transaction, so that they are about the addresses that it has; its row records when. */
export async function issueTokens(
  { codeSecret }: AuthContext,
  account: LockedAccount,
  kinds: readonly TokenKind[],
  target: LinkTarget,
  now = new Date(),
): Promise<IssuedToken[]> {
  const tokens: IssuedToken[] = []
  for (const kind of kinds) {
    const { email, new_email: newEmail } = account.user
    const sentTo = kind === 'email_change_new' ? (newEmail ?? '') : email
    tokens.push(await insertToken(account, codeSecret, { kind, sentTo, target }, now))
    await account.update({ [SENT_AT[kind]]: now.toISOString() })
  }
  return tokens
}
