import { DatabaseUnavailableError } from './database-unavailable-error.ts'
import type { StatementFailure } from './sqlite-messages.ts'

/** Primary result codes that speak of the place where the data lies, and not of what was asked. */
const PLACE_CODES = new Set([
  5, // busy: another process has held the lock for longer than we wait
  8, // read-only
  10, // the disk failed
  11, // corrupt
  13, // full
  14, // cannot open
  26, // not a database
])

/** An error of the other thread, as `node:sqlite` would have thrown it here. */
export function toSqliteError({ message, code, errcode }: StatementFailure): Error {
  const error = Object.assign(new Error(message), { code, ...(errcode === null ? {} : { errcode }) })
  const isOfPlace = code === 'STORAGE_FILE_GONE' || PLACE_CODES.has((errcode ?? 0) & 0xff)
  return isOfPlace ? new DatabaseUnavailableError(error) : error
}
