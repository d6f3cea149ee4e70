import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { addressBlock } from '../../http/address-block.ts'
import { AppError } from '../../http/app-error.ts'
import { countHit, readHits } from '../../http/rate-limit.ts'
import type { AuthContext } from '../auth-context.ts'
import { rateLimited, validationFailed } from '../auth-error.ts'
import { readBody, text } from '../read-body.ts'
import { rotateRefreshToken } from '../sessions/rotate-refresh-token.ts'
import { type SessionObject, toSessionObject } from '../sessions/session-object.ts'
import { withFactors } from '../users/find-user.ts'

const body = z.object({ refresh_token: text })
const TOKEN_SHAPE = /^[\w-]{12,128}$/

/** Only tokens that never existed count, so that no person is ever signed out by the limit. */
const MAX_UNKNOWN = 300
const WINDOW_MS = 5 * 60_000

export async function grantByRefreshToken(
  context: AuthContext,
  request: FastifyRequest,
): Promise<SessionObject> {
  const { refresh_token: token } = readBody(body, request)
  if (token === '') throw validationFailed('refresh_token required')
  if (!TOKEN_SHAPE.test(token)) throw validationFailed('Refresh token is not valid')
  try {
    const { user, session } = await rotateRefreshToken(context.db, token)
    return await toSessionObject(context, await withFactors(context.db, user), session)
  } catch (error) {
    if (error instanceof AppError && error.code === 'refresh_token_not_found')
      await countUnknown(context, addressBlock(request.ip))
    throw error
  }
}

async function countUnknown({ db }: AuthContext, address: string): Promise<void> {
  const key = `refresh:address:${address}`
  const known = await readHits(db, key)
  if (known.count >= MAX_UNKNOWN) throw rateLimited(known.retryAfterSeconds)
  await countHit(db, key, WINDOW_MS)
}
