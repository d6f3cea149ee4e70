import { setTimeout as wait } from 'node:timers/promises'
import {
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely'
import pg from 'pg'
import { logStatements, type OnStatement } from '../dialect.ts'
import { DatabaseUnavailableError, keepFirstError } from '../errors.ts'
import type { Schema } from '../schema/index.ts'

const INT8 = 20

const TIMESTAMPTZ = 1184

const CONNECT_TIMEOUT_MS = 5_000

/** Idle for this long, the kernel asks the other side whether it is there: ten times, a second apart (libuv). */
const KEEP_ALIVE_DELAY_MS = 10_000

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

interface PostgresOptions {
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
    dialect: keepFirstError(new PooledPostgresDialect({ pool: guarded })),
    ...logStatements(options.onStatement),
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

/** Lifts the server's limit for the rest of the transaction, and ours until the connection is given back. */
export const WITHOUT_TIME_LIMIT = 'set local statement_timeout = 0'

/** While closing, the first wait for a connection may take so long; nobody waits for one after that. */
const LAST_CONNECT_MS = 1_000

/**
 * The pool as the query builder sees it. A host that has gone silent answers nothing, not even that it is gone, so each
 * statement has a deadline of its own here; and a connection that has failed is never used again, neither for the
 * rollback nor by the next one to ask the pool.
 */
class GuardedPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #queryTimeoutMs: number
  readonly #clients = new WeakMap<pg.PoolClient, GuardedClient>()
  #closeBy = Number.POSITIVE_INFINITY
  #hasGivenUp = false

  constructor(pool: pg.Pool, queryTimeoutMs: number) {
    this.#pool = pool
    this.#queryTimeoutMs = queryTimeoutMs
  }

  /** From here on nothing takes longer than until then: the process ends, whether or not the database answers. */
  closeWithin(ms: number): void {
    this.#closeBy = performance.now() + ms
  }

  get options(): object {
    return this.#pool.options
  }

  async connect(): Promise<PostgresPoolClient> {
    const isClosing = this.#closeBy < Number.POSITIVE_INFINITY
    const connected = isClosing ? this.#connectWhileClosing() : this.#pool.connect()
    const client = await connected.catch((error: unknown) => {
      throw new DatabaseUnavailableError(error)
    })
    const timeLimit = () => Math.max(1, Math.min(this.#queryTimeoutMs, this.#closeBy - performance.now()))
    // The query builder tells connections apart by identity.
    const known = this.#clients.get(client) ?? new GuardedClient(client, timeLimit)
    this.#clients.set(client, known)
    return known
  }

  /** A connection that is still being opened, by a name server or a host that does not answer, is left behind. */
  async end(): Promise<void> {
    const left = this.#closeBy - performance.now()
    const ended = this.#pool.end()
    await (left === Number.POSITIVE_INFINITY ? ended : Promise.race([ended, wait(Math.max(0, left))]))
  }

  async #connectWhileClosing(): Promise<pg.PoolClient> {
    if (this.#hasGivenUp) throw new Error('the database does not answer, and the process is stopping')
    const connecting = this.#pool.connect()
    const client = await Promise.race([connecting, wait(LAST_CONNECT_MS, null)])
    if (client !== null) return client
    this.#hasGivenUp = true
    connecting.then(
      (late) => late.release(true),
      () => {},
    )
    throw new Error(`no connection within ${LAST_CONNECT_MS} ms, and the process is stopping`)
  }
}

class GuardedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #timeLimit: () => number
  #hasTimeLimit = true
  #failure: DatabaseUnavailableError | null = null

  constructor(client: pg.PoolClient, timeLimit: () => number) {
    this.#client = client
    this.#timeLimit = timeLimit
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query(): never
  async query<R>(sql?: string, parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    if (typeof sql !== 'string') throw new TypeError('cursors are not used')
    if (this.#failure !== null) throw this.#failure
    if (sql === WITHOUT_TIME_LIMIT) this.#hasTimeLimit = false
    try {
      const limit = this.#hasTimeLimit ? { query_timeout: this.#timeLimit() } : {}
      const result = await this.#client.query({ text: sql, values: [...parameters], ...limit })
      return result as unknown as PostgresQueryResult<R>
    } catch (error) {
      if (!isLost(error)) throw error
      this.#failure = new DatabaseUnavailableError(error)
      throw this.#failure
    }
  }

  release(destroy = false): void {
    this.#hasTimeLimit = true
    this.#client.release(destroy || this.#failure !== null)
  }
}

const READ_ONLY = '25006'

/**
 * What the server says of a statement leaves the connection as it was; a FATAL error, or no answer, ends it. A
 * connection that can only read (a standby took over the address) is of no use either: a new one may reach the primary.
 */
function isLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return error.severity === 'FATAL' || error.severity === 'PANIC' || error.code === READ_ONLY
  return !(error instanceof TypeError)
}
