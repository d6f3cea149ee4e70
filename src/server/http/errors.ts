import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '../db/errors.ts'
import { RETRY_AFTER_SECONDS } from './limits/limits.ts'
import type { ClassOf } from './security/classes.ts'

export interface ErrorPages {
  404: string
  500: string
}

/** The default error handling. A protocol with its own error format sets a handler in its scope. */
export function registerErrors(app: FastifyInstance, pages: ErrorPages, classOf: ClassOf): void {
  /** On page routes, for callers that accept HTML: programs get JSON. */
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

/** For what the framework refuses before any hook runs, such as a path that cannot be decoded. */
export function answerFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAppError(error, request)
  reply.code(known.status).send({ error: known.code, message: known.message, request_id: request.id })
}

/** An unknown error becomes an empty 500; the cause is logged with the request id. */
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

/** The framework's own refusals (body too large, bad JSON, unsupported type) have a 4xx status. */
function clientErrorStatus(error: unknown): number | null {
  const status = (error as { statusCode?: unknown }).statusCode
  const code = (error as { code?: unknown }).code
  const isFramework = typeof code === 'string' && code.startsWith('FST_')
  return isFramework && typeof status === 'number' && status >= 400 && status < 500 ? status : null
}

const UNAVAILABLE_MESSAGE = 'O serviço está indisponível no momento. Tente novamente em alguns instantes.'

/** Why a call got 503. Thousands may get it for one reason, so the log counts them. */
type Refusal = { shed: true } | { unavailable: string }

const refusals = new WeakMap<FastifyRequest, Refusal>()

export function refusalOf(request: FastifyRequest): Refusal | undefined {
  return refusals.get(request)
}

/** For a process that is too busy. */
export function shed(request: FastifyRequest): AppError {
  refusals.set(request, { shed: true })
  return refusal('overloaded', 'The server is busy, try again')
}

/** For a call that missed its deadline. */
export function late(request: FastifyRequest, deadlineMs: number): AppError {
  refusals.set(request, { unavailable: `no answer within ${deadlineMs} ms` })
  return refusal('database_unavailable', UNAVAILABLE_MESSAGE)
}

/** An unavailable database is nobody's fault: the response says when to retry. */
function databaseUnavailable(error: unknown, request: FastifyRequest): AppError | null {
  if (!isUnavailable(error)) return null
  refusals.set(request, { unavailable: (error as Error).message })
  return refusal('database_unavailable', UNAVAILABLE_MESSAGE, error)
}

function refusal(code: string, message: string, cause?: unknown): AppError {
  return new AppError(503, code, message, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS })
}

interface AppErrorOptions {
  /** Logged with the request id, never sent. */
  cause?: unknown
  /** When the caller may come again, in the header Retry-After. */
  retryAfterSeconds?: number
  /** Other headers of the response. */
  headers?: Record<string, string>
  /** Public fields that a protocol adds to its error. */
  details?: Record<string, unknown>
}

/** The one error that becomes a response: branch on `code`, never on the message. */
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
    const { retryAfterSeconds: wait } = options
    this.headers = { ...options.headers, ...(wait === undefined ? {} : { 'retry-after': String(wait) }) }
    this.details = options.details ?? {}
  }
}
