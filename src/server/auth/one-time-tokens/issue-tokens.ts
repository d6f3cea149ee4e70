import { change } from '#server/db/change.ts'
import type { AuthContext } from '../auth-context.ts'
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

/** All of them or none; the user's row records when. */
export function issueTokens(
  { db, codeSecret }: AuthContext,
  user: UserRow,
  kinds: readonly TokenKind[],
  target: LinkTarget,
  now = new Date(),
): Promise<IssuedToken[]> {
  return change(db, async (trx) => {
    const tokens: IssuedToken[] = []
    for (const kind of kinds) {
      const sentTo = kind === 'email_change_new' ? (user.new_email ?? '') : user.email
      tokens.push(await insertToken(trx, codeSecret, { userId: user.id, kind, sentTo, target }, now))
      await trx
        .updateTable('auth_users')
        .set({ [SENT_AT[kind]]: now.toISOString() })
        .where('id', '=', user.id)
        .execute()
    }
    return tokens
  })
}
