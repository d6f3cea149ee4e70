import type { SessionRow } from '#server/auth/access/require-user.ts'
import { authError } from '#server/auth/protocol/auth-error.ts'
import type { UserWithFactors } from '#server/auth/users/user-object.ts'

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
