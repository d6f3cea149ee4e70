import type { FastifyRequest } from 'fastify'
import { type PublicCall, WRITES_PER_LOGIN } from '#server/http/limits.ts'
import type { AuthContext } from '../auth-context.ts'
import { rateLimited } from './auth-error.ts'

const PER_PERSON = { max: 30, windowMs: 5 * 60_000 }

/** The protocol's limit; each operation has its own allowance. */
export function limitByPerson({ limits }: AuthContext, operation: string, userId: string): void {
  const wait = limits.take(`${operation}:person:${userId}`, PER_PERSON)
  if (wait !== null) throw rateLimited(wait)
}

/** By login and not by person: whoever holds another session uses up nothing of this one. */
export function limitWrites({ limits }: AuthContext, session: { id: string; login_id: string | null }): void {
  const wait = limits.take(`writes:login:${session.login_id ?? session.id}`, WRITES_PER_LOGIN)
  if (wait !== null) throw rateLimited(wait)
}

/** Who calls without a session is known by where they call from. */
export function limitByAddress({ limits }: AuthContext, request: FastifyRequest, call: PublicCall): void {
  const wait = limits.takeByAddress(request, call)
  if (wait !== null) throw rateLimited(wait)
}
