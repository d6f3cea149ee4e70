import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '../db/errors.ts'
import { RETRY_AFTER_SECONDS } from './limits/limits.ts'
import type { ClassOf } from './security/classes.ts'

export interface ErrorPages {
  404: string
  500: string
}

/** One way for an error to become an answer. A protocol with an error shape of its own sets its handler in its own scope. */
export function registerErrors(app: FastifyInstance, pages: ErrorPages, classOf: ClassOf): void {
  /** Where pages are sent, to those who want one: programs get JSON whatever they say they accept. */
  const wantsHtml = (request: FastifyRequest) =>
    ['admin page', 'public page'].includes(classOf(request)) &&
    (request.headers.accept ?? '').includes('text/html')

  app.setNotFoundHandler((request, reply) => {
    if (wantsHtml(request)) return reply.code(404).type('text/html; charset=utf-8').send(pages[404])
    return reply.code(404).send({ error: 'not_found', message: 'Not found', request_id: request.id })
  })
  app.setErrorHandler((error, request, reply) => {
    const known = toAppError(error, request)
    reply.code(known.status).headers(known.headers)
    if (known.status >= 500 && wantsHtml(request))
      return reply.type('text/html; charset=utf-8').send(pages[500])
    return reply.send({ error: known.code, message: known.message, request_id: request.id })
  })
}

/** For what the framework refuses before any hook or handler runs, such as a path that cannot be decoded. */
export function answerFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAppError(error, request)
  reply.code(known.status).send({ error: known.code, message: known.message, request_id: request.id })
}

/** Anything unknown becomes a 500 that says nothing; the cause goes to the log, with the request's id. */
export function toAppError(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) {
    if (error.status >= 500 && refusalOf(request) === undefined)
      request.log.error({ err: error }, 'request failed')
    return error
  }
  const unavailable = databaseUnavailable(error, request)
  if (unavailable !== null) return unavailable
  const status = clientErrorStatus(error)
  if (status !== null) return new AppError(status, 'bad_request', (error as Error).message, { cause: error })
  request.log.error({ err: error }, 'request failed')
  return new AppError(500, 'internal_error', 'Internal server error', { cause: error })
}

/** The framework's own refusals (body too large, bad JSON, unsupported type) carry a 4xx status. */
function clientErrorStatus(error: unknown): number | null {
  const status = (error as { statusCode?: unknown }).statusCode
  const code = (error as { code?: unknown }).code
  const isFramework = typeof code === 'string' && code.startsWith('FST_')
  return isFramework && typeof status === 'number' && status >= 400 && status < 500 ? status : null
}

const UNAVAILABLE_MESSAGE = 'O serviço está indisponível por um momento. Tente de novo em instantes.'

/** Why a call got 503 through no fault of its own. Thousands may get it for one reason: the log counts them. */
type Refusal = { shed: true } | { unavailable: string }

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
function databaseUnavailable(error: unknown, request: FastifyRequest): AppError | null {
  if (!isUnavailable(error)) return null
  refusals.set(request, { unavailable: (error as Error).message })
  return refusal('database_unavailable', UNAVAILABLE_MESSAGE, error)
}

function refusal(code: string, message: string, cause?: unknown): AppError {
  return new AppError(503, code, message, { cause, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } })
}

interface AppErrorOptions {
  /** Logged with the request id and never sent. */
  cause?: unknown
  /** Headers of the response, such as Retry-After. */
  headers?: Record<string, string>
  /** Public fields that a protocol adds to its error object. */
  details?: Record<string, unknown>
}

/** The one error that becomes an answer: branch on `code`, never on the message. */
export class AppError extends Error {
  readonly code: string
  readonly status: number
  readonly headers: Record<string, string>
  readonly details: Record<string, unknown>

  /** `message` is public. */
  constructor(status: number, code: string, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.status = status
    this.code = code
    this.headers = options.headers ?? {}
    this.details = options.details ?? {}
  }
}
