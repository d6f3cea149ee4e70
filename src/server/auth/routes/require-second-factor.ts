import { authError } from '../auth-error.ts'
import type { SessionRow } from '../require-user.ts'
import type { UserWithFactors } from '../users/user-object.ts'

/** Who has a second factor changes what they sign in with only after having shown it. */
export function requireSecondFactor(user: UserWithFactors, session: SessionRow): void {
  const isEnrolled = user.factors.some((factor) => factor.status === 'verified')
  if (isEnrolled && session.aal === 'aal1')
    throw authError(
      401,
      'insufficient_aal',
      'AAL2 session is required to update email or password when MFA is enabled.',
    )
}
