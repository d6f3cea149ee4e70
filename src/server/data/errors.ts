import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, toAppError } from '../http/errors.ts'
import { CHANGED_ROWS, RETRY_AFTER_SECONDS } from '../http/limits/limits.ts'
import type { Caller } from '../http/security/administrators.ts'
import type { Resource, Row } from './resource.ts'

/** SQLite's extended result codes beside PostgreSQL's SQLSTATE. */
const UNIQUE = [1555, 2067, '23505']

const CHECK = [275, 1299, '23514', '23502']

interface DatabaseError {
  code?: unknown
  errcode?: unknown
  constraint?: unknown
  message?: unknown
}

/**
 * Beside our own checks: the database decides between two requests with one key. Its own text is never sent, because it
 * differs by engine and can contain SQL.
 */
export function toProtocolError(resource: Resource, row: Row, error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { code, errcode, constraint, message } = error as DatabaseError
  const is = (codes: unknown[]) => codes.includes(errcode) || codes.includes(code)
  if (is(UNIQUE)) {
    const hint = String(constraint ?? message)
    const [primary, ...others] = resource.uniqueKeys
    const key = others.find(({ columns }) => hint.includes(columns.join('_'))) ?? primary
    if (key === undefined) return error
    const values = key.columns.map((column) => String(row[column])).join(', ')
    return duplicateKey(key.constraint, `Key (${key.columns.join(', ')})=(${values}) already exists.`, error)
  }
  if (is(CHECK)) return checkViolation(resource.name, `${resource.name}_check`, 'The row is not valid.')
  return error
}

const BOTH = 'Send the key twice: as "apikey: KEY" and as "Authorization: Bearer KEY".'

/** Why the caller may not use `what`, and what to send instead. It does not reveal whether a key exists. */
export function missingProof(what: string, caller: Caller, request: FastifyRequest): AppError {
  if (caller.kind === 'user') {
    const hint = caller.needsSecondFactor ? 'A session of level aal2 is required.' : null
    return protocolError(403, '42501', `permission denied for ${what}`, { hint })
  }
  const { apikey, authorization } = request.headers
  return protocolError(401, '42501', `permission denied for ${what}`, explain(caller, apikey, authorization))
}

function explain(caller: Caller, apikey: unknown, authorization: string | undefined) {
  if (caller.kind === 'anon') {
    return authorization === undefined
      ? {
          details: 'The Authorization header is missing: the apikey alone says nothing about who calls.',
          hint: BOTH,
        }
      : {
          details: 'The Authorization header brings the public key, which may read nothing here.',
          hint: 'Send a service key, or the access token of an administrator, as "Authorization: Bearer …".',
        }
  }
  if (apikey === undefined) {
    return authorization === undefined
      ? { details: 'No API key found in request', hint: BOTH }
      : { details: 'The apikey header is missing: the Authorization header alone is not enough.', hint: BOTH }
  }
  return { details: 'Invalid API key', hint: 'A key that was revoked, has expired or is not of this site.' }
}

/** The one place where errors of the data service become responses. */
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

/** The protocol only allows text there: the reasons of a weak password become a list in words. */
function toText(details: AppError['details']): string | null {
  if (Array.isArray(details.reasons)) return details.reasons.join(', ')
  return typeof details.details === 'string' ? details.details : null
}

/** Errors of other modules, in this protocol's terms. */
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

interface Extra {
  details?: string | null
  hint?: string | null
  headers?: Record<string, string>
  retryAfterSeconds?: number
  cause?: unknown
}

/** An error object of the protocol: `{code, message, details, hint}`. */
export function protocolError(status: number, code: string, message: string, extra: Extra = {}): AppError {
  return new AppError(status, code, message, {
    details: { details: extra.details ?? null, hint: extra.hint ?? null },
    ...(extra.headers === undefined ? {} : { headers: extra.headers }),
    ...(extra.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: extra.retryAfterSeconds }),
    ...(extra.cause === undefined ? {} : { cause: extra.cause }),
  })
}

export const nulInText = (): AppError =>
  protocolError(400, '22P05', 'unsupported Unicode escape sequence', {
    details: '\\u0000 cannot be converted to text.',
  })

export const unknownColumn = (resource: string, column: string): AppError =>
  protocolError(400, '42703', `column ${resource}.${column} does not exist`)

export const unknownWriteColumn = (resource: string, column: string): AppError =>
  protocolError(400, 'PGRST204', `Could not find the '${column}' column of '${resource}' in the schema cache`)

export const unknownTable = (name: string): AppError =>
  protocolError(404, 'PGRST205', `Could not find the table 'public.${name}' in the schema cache`)

export const badJson = (message = 'Empty or invalid json'): AppError =>
  protocolError(400, 'PGRST102', message)

export const badValue = (type: string, value: string): AppError =>
  protocolError(400, '22P02', `invalid input syntax for type ${type}: "${value}"`)

export const notNull = (resource: string, column: string): AppError =>
  protocolError(
    400,
    '23502',
    `null value in column "${column}" of relation "${resource}" violates not-null constraint`,
  )

/** `expected` describes valid values. */
export const checkViolation = (resource: string, constraint: string, expected: string): AppError =>
  protocolError(
    400,
    '23514',
    `new row for relation "${resource}" violates check constraint "${constraint}"`,
    { details: expected },
  )

export const duplicateKey = (constraint: string, details: string | null, cause?: unknown): AppError =>
  protocolError(409, '23505', `duplicate key value violates unique constraint "${constraint}"`, {
    details,
    cause,
  })

export const notSingular = (count: number): AppError =>
  protocolError(406, 'PGRST116', 'Cannot coerce the result to a single JSON object', {
    details: `The result contains ${count} rows`,
  })

/** `preferred` is the client's limit under `handling=strict`. */
export function assertMaxAffected(count: number, preferred: number | null = null): void {
  if (count <= Math.min(preferred ?? CHANGED_ROWS, CHANGED_ROWS)) return
  throw protocolError(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', {
    details: `The query affects ${count > CHANGED_ROWS ? `more than ${CHANGED_ROWS}` : count} rows`,
    hint: `A change may affect at most ${CHANGED_ROWS} rows. Narrow its filter, or send it in parts.`,
  })
}

export const rangeNotSatisfiable = (details: string): AppError =>
  protocolError(416, 'PGRST103', 'Requested range not satisfiable', { details })

export const serverBusy = (): AppError =>
  protocolError(503, 'PGRST003', 'The server is busy', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
