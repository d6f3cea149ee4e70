import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { validationFailed } from '#server/auth/protocol/auth-error.ts'
import { limitByAddress } from '#server/auth/protocol/limit-calls.ts'
import { readBody, text } from '#server/auth/protocol/read-body.ts'
import { rotateRefreshToken } from '#server/auth/sessions/rotate-refresh-token.ts'
import { type SessionObject, toSessionObject } from '#server/auth/sessions/session-object.ts'
import { withFactors } from '#server/auth/users/find-user.ts'
import { AppError } from '#server/http/app-error.ts'

const body = z.object({ refresh_token: text })
const TOKEN_SHAPE = /^[\w-]{12,128}$/

export async function grantByRefreshToken(
  context: AuthContext,
  request: FastifyRequest,
): Promise<SessionObject> {
  const { refresh_token: token } = readBody(body, request)
  if (token === '') throw validationFailed('refresh_token required')
  if (!TOKEN_SHAPE.test(token)) throw validationFailed('Refresh token is not valid')
  try {
    const { user, session } = await rotateRefreshToken(context, token)
    return await toSessionObject(context, await withFactors(context.db, user), session)
  } catch (error) {
    // Only tokens that never existed count, so that no person is ever signed out by the limit.
    if (error instanceof AppError && error.code === 'refresh_token_not_found')
      limitByAddress(context, request, 'refresh-unknown')
    throw error
  }
}
