import { hostname } from 'node:os'
import { Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { splitHosts } from '#server/postgres-url.ts'
import { logStatements, type OnStatement } from '../dialect.ts'
import { keepFirstError } from '../errors.ts'
import type { Schema } from '../schema/index.ts'
import { CONNECT_TIMEOUT_MS, type ConnectionLog, Hosts, PatientPool } from './postgres-pool.ts'

/** Followed by process and machine in the list of connections (`pg_stat_activity`), so that processes can be counted. */
export const PROCESS_NAME = 'portico'
/** PostgreSQL cuts longer names. */
const MAX_NAME_LENGTH = 63

const INT8 = 20

const TIMESTAMPTZ = 1184

/** After this idle time the kernel probes the other side: ten times, a second apart (libuv). */
const KEEP_ALIVE_DELAY_MS = 10_000

/** The server ends a statement, and an idle transaction. */
const STATEMENT_TIMEOUT_MS = 10_000

/** Slightly more, so that a responsive server reports it first. */
const QUERY_TIMEOUT_MS = 12_000

/** The number of Kysely's own migration lock, so that versions with either exclude each other. */
const MIGRATION_LOCK = '3853314791062309107'

/** Times as ISO 8601 in UTC and counts as numbers, like SQLite. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === TIMESTAMPTZ) return (text: string) => new Date(text).toISOString()
    if (oid === INT8) return Number
    return pg.types.getTypeParser(oid, format as 'text')
  }) as pg.CustomTypesConfig['getTypeParser'],
}

/** On a standby, and with `default_transaction_read_only`, every transaction is read-only. */
const READ_ONLY = "current_setting('transaction_read_only') as read_only"

class ReadOnlyError extends Error {
  /** As PostgreSQL names a write that it refuses. */
  readonly code = '25006'

  constructor() {
    super('the database is read-only')
  }
}

const SILENT: ConnectionLog = { warn: () => {}, info: () => {} }

interface PostgresOptions {
  url: string
  poolSize: number
  /** Gets a line when the database becomes unreachable, and one when it is back. */
  log?: ConnectionLog | undefined
  onStatement?: OnStatement | undefined
  statementTimeoutMs?: number
  queryTimeoutMs?: number
}

interface Postgres {
  db: Kysely<Schema>
  /** From here on a connection to other data, to none, or a read-only one is refused. */
  pinSite(): Promise<void>
  /** From here on nothing waits longer for the database. */
  closeWithin(ms: number): void
}

export function openPostgres(options: PostgresOptions): Postgres {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, queryTimeoutMs = QUERY_TIMEOUT_MS } = options
  let site: string | null = null
  const hosts = new Hosts(splitHosts(options.url))
  const pool = new pg.Pool({
    Client: class extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super({ ...config, connectionString: hosts.url })
      }
    },
    types,
    max: options.poolSize,
    // The last one stays open: on a full server it could not be opened again.
    min: 1,
    connectionTimeoutMillis: Math.floor(CONNECT_TIMEOUT_MS / hosts.count),
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: `${PROCESS_NAME} ${process.pid} ${hostname()}`.slice(0, MAX_NAME_LENGTH),
    onConnect: async (client) => {
      // The pool listens to idle connections only. A broken connection in use rejects its statement, so nothing is
      // needed here; but an unhandled event would end the process.
      client.on('error', () => {})
      const limit = { query_timeout: queryTimeoutMs }
      const ask = (text: string) =>
        client.query<{ site_id?: unknown; read_only?: unknown }>({ text, ...limit })
      // Not start-up parameters, which PgBouncer refuses. Behind it they stay on the server connection for the next
      // client of the same user and database, which is one of ours and wants the same.
      await ask(
        `set statement_timeout = ${statementTimeoutMs}; set idle_in_transaction_session_timeout = ${statementTimeoutMs}`,
      )
      // Of several hosts, only the one that accepts writes is used from the beginning.
      if (site === null && hosts.count === 1) return
      const { rows } = await ask(
        site === null ? `select ${READ_ONLY}` : `select site_id, ${READ_ONLY} from site_state`,
      )
      if (site !== null && rows[0]?.site_id !== site)
        throw new Error('the database is not the one that this process started with')
      if (rows[0]?.read_only !== 'off') throw new ReadOnlyError()
    },
  })
  const patient = new PatientPool(pool, { queryTimeoutMs, log: options.log ?? SILENT, hosts })
  const db = new Kysely<Schema>({
    dialect: keepFirstError(new PooledPostgresDialect({ pool: patient })),
    ...logStatements(options.onStatement),
  })
  return {
    db,
    pinSite: async () => {
      const row = await db
        .selectFrom('site_state')
        .select(['site_id', sql<string>`current_setting('transaction_read_only')`.as('read_only')])
        .executeTakeFirstOrThrow()
      if (row.read_only !== 'off') throw new ReadOnlyError()
      site = row.site_id
    },
    closeWithin: (ms) => patient.closeWithin(ms),
  }
}

class PooledPostgresDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new PooledPostgresAdapter()
  }
}

/** A session lock would stay on a connection that a pooler gives to others; this one ends with the transaction. */
class PooledPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db)
  }

  override async releaseMigrationLock(): Promise<void> {}
}
