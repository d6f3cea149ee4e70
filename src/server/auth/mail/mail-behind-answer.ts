import type { FastifyRequest } from 'fastify'
import type { AuthContext } from '../auth-context.ts'
import { limitByAddress } from '../protocol/limit-calls.ts'
import { findUserByEmail } from '../users/find-user.ts'
import { accessRefusal } from '../users/rules.ts'
import type { UserRow } from '../users/user-object.ts'
import { countRequest } from './mail-limits.ts'
import type { OutgoingMail } from './mail-transport.ts'

interface PublicRequest {
  /** What is counted: each has an allowance of its own. */
  operation: 'otp' | 'recover' | `resend:${string}`
  email: string
  /** Makes the account that is not there yet, where it may be made. */
  findElse?: () => Promise<UserRow | undefined>
}

/**
 * What a call that anybody can make about any address does before its answer: the same statements, whether or not
 * somebody has the address, and whether or not a limit is reached. Everything else happens behind the answer, which is
 * always `{}`.
 */
export async function mailBehindAnswer(
  context: AuthContext,
  request: FastifyRequest,
  { operation, email, findElse = async () => undefined }: PublicRequest,
  write: (user: UserRow) => Promise<OutgoingMail[]>,
): Promise<Record<string, never>> {
  limitByAddress(context, request, operation === 'otp' || operation === 'recover' ? operation : 'resend')
  if (await countRequest(context.db, operation, email))
    context.mail.later(async () => {
      const user = (await findUserByEmail(context.db, email)) ?? (await findElse())
      return user === undefined || accessRefusal(user) !== null ? [] : write(user)
    })
  return {}
}
