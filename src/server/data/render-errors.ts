import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../http/app-error.ts'
import { toAppError } from '../http/errors.ts'
import { badJson, protocolError, serverBusy } from './protocol-errors.ts'

/** The one place where an error of the data service becomes an answer. */
export function renderDataErrors(scope: FastifyInstance): void {
  scope.setErrorHandler((error, request, reply) => send(reply, toDataError(error, request)))
  scope.setNotFoundHandler((_request, reply) => send(reply, invalidPath()))
}

const invalidPath = (headers: Record<string, string> = {}) =>
  protocolError(404, 'PGRST125', 'Invalid path specified in request URL', { headers })

function send(reply: FastifyReply, error: AppError): FastifyReply {
  const { status, code, message, headers, details } = error
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(status)
    .headers(headers)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ code, message, details: toText(details), hint: details.hint ?? null }))
}

/** The protocol knows text there and nothing else: the reasons of a weak password become a list in words. */
function toText(details: AppError['details']): string | null {
  if (Array.isArray(details.reasons)) return details.reasons.join(', ')
  return typeof details.details === 'string' ? details.details : null
}

/** What other rooms throw, in this protocol's terms. */
function toDataError(error: unknown, request: FastifyRequest): AppError {
  const known = toAppError(error, request)
  switch (known.code) {
    case 'bad_jwt':
    case 'session_not_found':
    case 'user_banned':
      return protocolError(401, 'PGRST301', known.message)
    case 'jwt_expired':
      return protocolError(401, 'PGRST303', 'JWT expired')
    case 'bad_json':
      return badJson()
    case 'bad_request':
      return fromFramework(known, request)
    case 'not_found':
      return invalidPath(known.headers)
    case 'database_unavailable':
      return protocolError(503, 'PGRST001', known.message, { headers: known.headers })
    case 'internal_error':
      return protocolError(500, 'XX000', 'Internal server error', { hint: `request ${request.id}` })
    default:
      return known
  }
}

function fromFramework(error: AppError, request: FastifyRequest): AppError {
  if (error.status === 415) {
    const message = `Content-Type not acceptable: ${request.headers['content-type']}`
    return protocolError(400, 'PGRST102', message, { hint: 'Send JSON.' })
  }
  if (error.status === 413) return protocolError(413, '54000', 'Request body is too large')
  if (error.status === 503) return serverBusy()
  return protocolError(error.status, 'PGRST102', 'The request could not be read')
}
