import { Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { GuardedPool } from './guarded-pool.ts'
import { keepCause } from './keep-cause.ts'
import { type OnStatement, tellStatements } from './on-statement.ts'
import type { Schema } from './schema.ts'

const INT8 = 20
const TIMESTAMPTZ = 1184

export const CONNECT_TIMEOUT_MS = 5_000
/** Idle for this long, the kernel asks the other side whether it is there: ten times, a second apart (libuv). */
export const KEEP_ALIVE_DELAY_MS = 10_000
/** The server ends a statement, and a transaction that has been left alone. */
const STATEMENT_TIMEOUT_MS = 10_000
/** A little more, so that the server, where it still answers, is the one to say so. */
const QUERY_TIMEOUT_MS = 12_000
/** The number that the query builder's own migration lock has, so that versions with either exclude each other. */
const MIGRATION_LOCK = '3853314791062309107'

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
  poolSize: number
  /** Called when an idle connection breaks (the server restarted); the pool opens a new one by itself. */
  onConnectionLost: (error: Error) => void
  onStatement?: OnStatement | undefined
  statementTimeoutMs?: number
  queryTimeoutMs?: number
}

interface Postgres {
  db: Kysely<Schema>
  /** From here on a connection that finds the data of another site, or none, or can only read, counts as no connection. */
  pinSite(): Promise<void>
  /** From here on nobody waits for the database for longer, neither for an answer nor for its end. */
  closeWithin(ms: number): void
}

export function openPostgres(options: PostgresOptions): Postgres {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, queryTimeoutMs = QUERY_TIMEOUT_MS } = options
  let site: string | null = null
  const pool = new pg.Pool({
    connectionString: options.url,
    types,
    max: options.poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: 'portico',
    onConnect: async (client) => {
      // The pool listens to idle connections only. What breaks one that is in use rejects its statement as well, so
      // there is nothing to add here; but an event that nobody hears would end the process.
      client.on('error', () => {})
      const limit = { query_timeout: queryTimeoutMs }
      const ask = (text: string) =>
        client.query<{ site_id?: unknown; read_only?: unknown }>({ text, ...limit })
      // Not start-up parameters, which PgBouncer refuses. Behind it they outlive this client on a connection that the
      // next one of the same user and database gets: one of us, who wants the same.
      await ask(
        `set statement_timeout = ${statementTimeoutMs}; set idle_in_transaction_session_timeout = ${statementTimeoutMs}`,
      )
      if (site === null) return
      // On a standby, and with `default_transaction_read_only`, every transaction is read-only.
      const { rows } = await ask(
        "select site_id, current_setting('transaction_read_only') as read_only from site_state",
      )
      if (rows[0]?.site_id !== site)
        throw new Error('the database is not the one that this process started with')
      if (rows[0]?.read_only !== 'off') throw new Error('the database takes no writes: it is read-only')
    },
  })
  pool.on('error', options.onConnectionLost)
  const guarded = new GuardedPool(pool, queryTimeoutMs)
  const db = new Kysely<Schema>({
    dialect: keepCause(new PooledPostgresDialect({ pool: guarded })),
    ...tellStatements(options.onStatement),
  })
  return {
    db,
    pinSite: async () => {
      site = (await db.selectFrom('site_state').select('site_id').executeTakeFirstOrThrow()).site_id
    },
    closeWithin: (ms) => guarded.closeWithin(ms),
  }
}

class PooledPostgresDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new PooledPostgresAdapter()
  }
}

/** A lock of the session would stay behind on a connection that a pooler gives to somebody else; this ends with the transaction. */
class PooledPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db)
  }

  override async releaseMigrationLock(): Promise<void> {}
}
