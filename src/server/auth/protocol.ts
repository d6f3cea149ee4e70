import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { AppError, toAppError } from '../http/errors.ts'
import { METADATA_BYTES, type PublicCall, SIGNED_IN } from '../http/limits/limits.ts'
import type { AuthContext } from './context.ts'

const VERSION_HEADER = 'x-supabase-api-version'

const CURRENT_VERSION = '2024-01-01'

/** The one place where errors of the auth service become responses. */
export function renderAuthErrors(scope: FastifyInstance): void {
  scope.setErrorHandler((error, request, reply) => send(request, reply, toAuthError(error, request)))
  scope.setNotFoundHandler((request, reply) =>
    send(request, reply, new AppError(404, 'not_found', 'Not found')),
  )
}

/** Newer clients send a version and read text in `code`; older ones find the status there. */
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

/** The protocol's limit, per operation. */
export function limitByPerson({ limits }: AuthContext, operation: string, userId: string): void {
  const wait = limits.take(`${operation}:person:${userId}`, SIGNED_IN.operation)
  if (wait !== null) throw rateLimited(wait)
}

/** By login, not by person: another session cannot use up this one's limit. */
export function limitWrites({ limits }: AuthContext, session: { id: string; login_id: string | null }): void {
  const wait = limits.take(`writes:login:${session.login_id ?? session.id}`, SIGNED_IN.writes)
  if (wait !== null) throw rateLimited(wait)
}

/** Callers without a session are limited by address. */
export function limitByAddress({ limits }: AuthContext, request: FastifyRequest, call: PublicCall): void {
  const wait = limits.takeByAddress(request, call)
  if (wait !== null) throw rateLimited(wait)
}

/** An error of the Supabase Auth protocol, with the message that its clients know. */
export function authError(status: number, code: string, message: string): AppError {
  return new AppError(status, code, message)
}

export function validationFailed(message: string, status = 400): AppError {
  return new AppError(status, 'validation_failed', message)
}

export function rateLimited(retryAfterSeconds: number): AppError {
  return new AppError(429, 'over_request_rate_limit', 'Request rate limit reached', {
    retryAfterSeconds,
  })
}

export function emailExists(): AppError {
  return new AppError(422, 'email_exists', 'A user with this email address has already been registered')
}

export const METADATA_TOO_LARGE = `Metadata cannot be larger than ${METADATA_BYTES} bytes`

export function fitsMetadata(metadata: object): boolean {
  return Buffer.byteLength(JSON.stringify(metadata)) <= METADATA_BYTES
}

/** A text field: absent and null are the same as empty. */
export const text = z.pipe(
  z.nullish(z.string()),
  z.transform((value) => value ?? ''),
)

export const flag = z.pipe(
  z.nullish(z.boolean()),
  z.transform((value) => value ?? false),
)

/** Metadata within the size limit. */
export const document = z.nullish(
  z.record(z.string(), z.unknown()).check(z.refine(fitsMetadata, METADATA_TOO_LARGE)),
)

/** Unknown keys are ignored, as in the protocol; a value of the wrong type is its `bad_json`. */
export function readBody<T extends z.ZodMiniType>(schema: T, request: FastifyRequest): z.output<T> {
  const result = z.safeParse(schema, request.body ?? {})
  if (result.success) return result.data
  const issue = result.error.issues[0]
  if (issue?.code === 'custom') throw new AppError(400, 'validation_failed', issue.message)
  const path = issue?.path.join('.') || 'the body'
  throw new AppError(400, 'bad_json', `Could not parse request body as JSON: ${path} has the wrong type`)
}

export function readQuery(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}

/** A lone surrogate is valid in JSON and JavaScript, but an error in PostgreSQL. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\\ufffd')
}
