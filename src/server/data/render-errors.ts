import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../http/app-error.ts'
import { toAppError } from '../http/errors.ts'
import { badJson, protocolError, serverBusy } from './protocol-errors.ts'

/** The one place where an error of the data service becomes an answer. */
export function renderDataErrors(scope: FastifyInstance): void {
  scope.setErrorHandler((error, request, reply) => send(reply, toDataError(error, request)))
  scope.setNotFoundHandler((_request, reply) =>
    send(reply, protocolError(404, 'PGRST125', 'Invalid path specified in request URL')),
  )
}

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
      return fromFramework(known)
    case 'database_unavailable':
      return protocolError(503, 'PGRST001', known.message, { headers: known.headers })
    case 'internal_error':
      return protocolError(500, 'XX000', 'Internal server error', { hint: `request ${request.id}` })
    default:
      return known
  }
}

function fromFramework(error: AppError): AppError {
  if (error.status === 415) return protocolError(415, 'PGRST107', 'Content-Type not acceptable: send JSON')
  if (error.status === 413) return protocolError(413, '54000', 'Request body is too large')
  if (error.status === 503) return serverBusy()
  return protocolError(error.status, 'PGRST102', 'The request could not be read')
}
