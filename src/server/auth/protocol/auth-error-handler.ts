import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#server/http/app-error.ts'
import { toAppError } from '#server/http/errors.ts'

const VERSION_HEADER = 'x-supabase-api-version'
const CURRENT_VERSION = '2024-01-01'

/** The one place where an error of the auth service becomes an answer. */
export function renderAuthErrors(scope: FastifyInstance): void {
  scope.setErrorHandler((error, request, reply) => send(request, reply, toAuthError(error, request)))
  scope.setNotFoundHandler((request, reply) =>
    send(request, reply, new AppError(404, 'not_found', 'Not found')),
  )
}

/** Newer clients name a version and read text in `code`; older ones find the status there. */
function send(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  const { status, code, message } = error
  const weak = code === 'weak_password' ? { weak_password: { reasons: error.details.reasons ?? [] } } : {}
  reply.code(status).headers(error.headers).header('x-sb-error-code', code)
  if (!speaksCurrentVersion(request))
    return reply.send({ code: status, error_code: code, msg: message, ...weak })
  return reply.header(VERSION_HEADER, CURRENT_VERSION).send({ code, message, ...weak })
}

function speaksCurrentVersion(request: FastifyRequest): boolean {
  const version = request.headers[VERSION_HEADER]
  return typeof version === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= CURRENT_VERSION
}

function toAuthError(error: unknown, request: FastifyRequest): AppError {
  const known = toAppError(error, request)
  if (known.code === 'internal_error')
    return new AppError(
      500,
      'unexpected_failure',
      'Unexpected failure, please check server logs for more information',
    )
  if (known.code === 'bad_request')
    return new AppError(known.status, 'validation_failed', known.message, { headers: known.headers })
  return known
}
