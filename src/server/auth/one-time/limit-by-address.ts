import type { FastifyRequest } from 'fastify'
import { addressBlock } from '../../http/address-block.ts'
import { countHit } from '../../http/rate-limit.ts'
import type { AuthContext } from '../auth-context.ts'
import { rateLimited } from '../auth-error.ts'

const MAX = 30
const WINDOW_MS = 5 * 60_000

/** The protocol's limit for whoever calls without a session; each operation has its own allowance. */
export async function limitByAddress(
  { db }: AuthContext,
  request: FastifyRequest,
  operation: string,
): Promise<void> {
  const { count, retryAfterSeconds } = await countHit(
    db,
    `${operation}:address:${addressBlock(request.ip)}`,
    WINDOW_MS,
  )
  if (count > MAX) throw rateLimited(retryAfterSeconds)
}
