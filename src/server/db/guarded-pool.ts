import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { DatabaseUnavailableError } from './database-unavailable-error.ts'

/** Lifts the server's limit for the rest of the transaction, and ours until the connection is given back. */
export const WITHOUT_TIME_LIMIT = 'set local statement_timeout = 0'

/** While closing, the first wait for a connection may take so long; nobody waits for one after that. */
const LAST_CONNECT_MS = 1_000

/**
 * The pool as the query builder sees it. A host that has gone silent answers nothing, not even that it is gone, so each
 * statement has a deadline of its own here; and a connection that has failed is never used again, neither for the
 * rollback nor by the next one to ask the pool.
 */
export class GuardedPool implements PostgresPool {
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
