import { refuseTakenEmail } from '../accounts.ts'
import type { AuthContext } from '../auth-context.ts'
import { limitOwnMail } from '../one-time/mail-limits.ts'
import { refuseChangeOfPrincipal } from '../users/refuse-on-principal.ts'
import type { UserRow } from '../users/user-object.ts'

/** Every rule for a new address, before it is written down as wished for. */
export async function prepareEmailChange(
  context: AuthContext,
  user: UserRow,
  newEmail: string,
): Promise<void> {
  refuseChangeOfPrincipal(context.config, user.email)
  await refuseTakenEmail(context.db, user.id, newEmail)
  await limitOwnMail(context.db, 'email_change', user.id)
}
