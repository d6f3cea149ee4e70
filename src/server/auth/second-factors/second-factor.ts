import { authError } from '../protocol/auth-error.ts'
import type { AccountState } from '../users/change-account.ts'

/** Status and text that the protocol's clients know. */
const REFUSALS = {
  update_user: [401, 'AAL2 session is required to update email or password when MFA is enabled.'],
  enroll: [403, 'AAL2 required to enroll a new factor'],
  unenroll: [422, 'AAL2 required to unenroll verified factor'],
  passkeys: [403, 'AAL2 session is required to manage passkeys when MFA is enabled'],
  own_account: [403, 'AAL2 session is required'],
} as const

/** Whether a session still has to show a second factor: there is one that counts, and it was not shown. */
export function lacksSecondFactor(aal: string | undefined, verifiedFactors: number): boolean {
  return verifiedFactors > 0 && aal !== 'aal2'
}

export function hasSecondFactor({ factors }: Pick<AccountState, 'factors'>): boolean {
  return factors.some(({ status }) => status === 'verified')
}

/**
 * Who has a second factor changes how they sign in only after having shown it. `shown` is a factor that is being shown
 * with this very call: it suffices if it counts.
 */
export function requireSecondFactor(
  { factors, session }: AccountState,
  operation: keyof typeof REFUSALS,
  shown?: string,
): void {
  const verified = factors.filter(({ status }) => status === 'verified')
  if (!lacksSecondFactor(session?.aal, verified.length) || verified.some(({ id }) => id === shown)) return
  const [status, message] = REFUSALS[operation]
  throw authError(status, 'insufficient_aal', message)
}
