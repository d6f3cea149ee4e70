import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { keepCause } from './keep-cause.ts'
import type { Schema } from './schema.ts'

const INT8 = 20
const TIMESTAMPTZ = 1184

/** Times as ISO 8601 in UTC and counts as numbers, as the embedded engine gives them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === TIMESTAMPTZ) return (text: string) => new Date(text).toISOString()
    if (oid === INT8) return Number
    return pg.types.getTypeParser(oid, format as 'text')
  }) as pg.CustomTypesConfig['getTypeParser'],
}

export interface PostgresOptions {
  url: string
  /** Called when an idle connection breaks (the server restarted); the pool opens a new one by itself. */
  onConnectionLost: (error: Error) => void
}

export function openPostgres(options: PostgresOptions): { db: Kysely<Schema>; pool: pg.Pool } {
  const pool = new pg.Pool({
    connectionString: options.url,
    types,
    max: 10,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 15_000,
    idle_in_transaction_session_timeout: 15_000,
    keepAlive: true,
    application_name: 'portico',
  })
  pool.on('error', options.onConnectionLost)
  return { db: new Kysely<Schema>({ dialect: keepCause(new PostgresDialect({ pool })) }), pool }
}
