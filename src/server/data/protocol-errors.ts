import { AppError } from '../http/app-error.ts'
import { CHANGED_ROWS } from '../http/limits.ts'

interface Extra {
  details?: string | null
  hint?: string | null
  headers?: Record<string, string>
  cause?: unknown
}

/** An error object of the protocol: `{code, message, details, hint}`. */
export function protocolError(status: number, code: string, message: string, extra: Extra = {}): AppError {
  return new AppError(status, code, message, {
    details: { details: extra.details ?? null, hint: extra.hint ?? null },
    ...(extra.headers === undefined ? {} : { headers: extra.headers }),
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

/** `expected` says what would pass, in words. */
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

/** `preferred` is what the client allows, under `handling=strict`. */
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
  protocolError(503, 'PGRST003', 'The server is busy', { headers: { 'retry-after': '5' } })
