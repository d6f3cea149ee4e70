import { AppError } from '../http/app-error.ts'
import { checkViolation, duplicateKey } from './protocol-errors.ts'
import type { Resource, Row } from './resource.ts'

/** The extended result codes of SQLite beside PostgreSQL's SQLSTATE. */
const UNIQUE = [1555, 2067, '23505']
const CHECK = [275, 1299, '23514', '23502']

interface DatabaseError {
  code?: unknown
  errcode?: unknown
  constraint?: unknown
  message?: unknown
}

/**
 * Beside our own checks: two requests that race to one key are decided by the database. Its own words are never sent,
 * for they differ by engine and can hold SQL.
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
