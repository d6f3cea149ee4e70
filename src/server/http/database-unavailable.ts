import type { FastifyRequest } from 'fastify'
import { isUnavailable } from '../db/is-unavailable.ts'
import { AppError } from './app-error.ts'

const RETRY_AFTER_SECONDS = 5

/** A database that cannot work now is no fault of ours or of the caller: the answer says when to come again. */
export function databaseUnavailable(error: unknown, request: FastifyRequest): AppError | null {
  if (!isUnavailable(error)) return null
  // A line, not a stack: while it lasts, every call says the same.
  request.log.warn({ reason: (error as Error).message }, 'the database is unavailable')
  return new AppError(
    503,
    'database_unavailable',
    'O serviço está indisponível por um momento. Tente de novo em instantes.',
    { cause: error, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
  )
}
