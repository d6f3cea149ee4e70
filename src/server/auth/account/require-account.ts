import type { FastifyRequest } from 'fastify'
import { AppError } from '#server/http/app-error.ts'
import { requireUser, type SessionRow } from '../access/require-user.ts'
import type { AuthContext } from '../auth-context.ts'
import { withFactors } from '../users/find-user.ts'
import type { UserWithFactors } from '../users/user-object.ts'

export interface OwnAccount {
  user: UserWithFactors
  session: SessionRow
  hasSecondFactor: boolean
}

/** The person behind a call, whatever their role: an account is one's own. */
export async function requireAccount(context: AuthContext, request: FastifyRequest): Promise<OwnAccount> {
  const { user: row, session } = await requireUser(context, request)
  const user = await withFactors(context.db, row)
  return { user, session, hasSecondFactor: user.factors.some((factor) => factor.status === 'verified') }
}

/** The same, having shown the second factor if there is one. */
export async function requireProvedAccount(
  context: AuthContext,
  request: FastifyRequest,
): Promise<OwnAccount> {
  const account = await requireAccount(context, request)
  if (account.hasSecondFactor && account.session.aal === 'aal1')
    throw new AppError(403, 'insufficient_aal', 'AAL2 session is required')
  return account
}
