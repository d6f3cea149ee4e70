import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from './app-error.ts'
import { databaseUnavailable, refusalOf } from './refusals.ts'
import type { ClassOf } from './security-class.ts'

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
