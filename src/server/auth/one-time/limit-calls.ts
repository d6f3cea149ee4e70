import type { FastifyRequest } from 'fastify'
import { addressBlock } from '../../http/address-block.ts'
import { countHit } from '../../http/rate-limit.ts'
import type { AuthContext } from '../auth-context.ts'
import { rateLimited } from '../auth-error.ts'

const MAX = 30
const WINDOW_MS = 5 * 60_000

/** The protocol's limit; each operation has its own allowance. */
export async function limitCalls({ db }: AuthContext, operation: string, who: string): Promise<void> {
  const { count, retryAfterSeconds } = await countHit(db, `${operation}:${who}`, WINDOW_MS)
  if (count > MAX) throw rateLimited(retryAfterSeconds)
}

/** Who calls without a session is known by where they call from. */
export function limitByAddress(
  context: AuthContext,
  request: FastifyRequest,
  operation: string,
): Promise<void> {
  return limitCalls(context, operation, `address:${addressBlock(request.ip)}`)
}
