import type { FastifyRequest } from 'fastify'
import { isUnavailable } from '../db/is-unavailable.ts'
import { AppError } from './app-error.ts'

const RETRY_AFTER_SECONDS = 5
const UNAVAILABLE_MESSAGE = 'O serviço está indisponível por um momento. Tente de novo em instantes.'

/** Why a call got 503 through no fault of its own. Thousands may get it for one reason: the log counts them. */
export type Refusal = { shed: true } | { unavailable: string }

const refusals = new WeakMap<FastifyRequest, Refusal>()

export function refusalOf(request: FastifyRequest): Refusal | undefined {
  return refusals.get(request)
}

/** For a process that is too busy to handle the call in time. */
export function shed(request: FastifyRequest): AppError {
  refusals.set(request, { shed: true })
  return refusal('overloaded', 'The server is busy, try again')
}

/** For a call that was not answered by its deadline. */
export function late(request: FastifyRequest, deadlineMs: number): AppError {
  refusals.set(request, { unavailable: `no answer within ${deadlineMs} ms` })
  return refusal('database_unavailable', UNAVAILABLE_MESSAGE)
}

/** A database that cannot work now is no fault of ours or of the caller: the answer says when to come again. */
export function databaseUnavailable(error: unknown, request: FastifyRequest): AppError | null {
  if (!isUnavailable(error)) return null
  refusals.set(request, { unavailable: (error as Error).message })
  return refusal('database_unavailable', UNAVAILABLE_MESSAGE, error)
}

function refusal(code: string, message: string, cause?: unknown): AppError {
  return new AppError(503, code, message, { cause, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } })
}
