import { DatabaseUnavailableError } from './database-unavailable-error.ts'

/** Classes of SQLSTATE (PostgreSQL, appendix A): connection, authorization, resources, system. */
const CLASSES = ['08', '28', '53', '58']

const STATES = [
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '57014', // query_canceled: the statement's time is up
  '55P03', // lock_not_available
  '25P03', // idle_in_transaction_session_timeout
  '25006', // read_only_sql_transaction: a standby answers
  '3D000', // invalid_catalog_name: the server is up without our database
  '42P01', // undefined_table: the schema is in place since the start, so this is another database
  '40001', // serialization_failure, after every attempt that we make ourselves
  '40P01', // deadlock_detected, likewise
]

/**
 * Primary result codes of SQLite: busy, locked, read-only, input/output, full, cannot open. A damaged file (11, 26) is
 * none of them: it does not mend by itself, so nobody is told to try again in a moment.
 */
const SQLITE_CODES = [5, 6, 8, 10, 13, 14]

/** The file under the database's path is another one, or none. */
const FILE_GONE = 'STORAGE_FILE_GONE'

/**
 * Whether a failure is the database's own condition, and not what was asked of it: the same call may succeed in a
 * moment. The one place that decides it, for both engines.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  if (code === FILE_GONE) return true
  if (typeof errcode === 'number') return SQLITE_CODES.includes(errcode & 0xff)
  return (
    typeof code === 'string' &&
    code.length === 5 &&
    (STATES.includes(code) || CLASSES.includes(code.slice(0, 2)))
  )
}
