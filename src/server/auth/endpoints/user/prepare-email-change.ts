import type { AuthContext } from '#server/auth/auth-context.ts'
import { limitOwnMail } from '#server/auth/mail/mail-limits.ts'
import { refuseChangeOfPrincipal } from '#server/auth/principal/refuse-on-principal.ts'
import { refuseTakenEmail } from '#server/auth/users/accounts.ts'
import type { UserRow } from '#server/auth/users/user-object.ts'

/** Every rule for a new address, before it is stored as `new_email`. */
export async function prepareEmailChange(
  context: AuthContext,
  user: UserRow,
  newEmail: string,
): Promise<void> {
  refuseChangeOfPrincipal(context.config, user.email)
  await refuseTakenEmail(context.db, user.id, newEmail)
  await limitOwnMail(context.db, 'email_change', user.id)
}
