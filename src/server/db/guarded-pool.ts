import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { DatabaseUnavailableError } from './database-unavailable-error.ts'

/** Lifts the server's limit for the rest of the transaction, and ours until the connection is given back. */
export const WITHOUT_TIME_LIMIT = 'set local statement_timeout = 0'

/**
 * The pool as the query builder sees it. A host that has gone silent answers nothing, not even that it is gone, so each
 * statement has a deadline of its own here; and a connection that has failed is never used again, neither for the
 * rollback nor by the next one to ask the pool.
 */
export class GuardedPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #queryTimeoutMs: number
  readonly #clients = new WeakMap<pg.PoolClient, GuardedClient>()

  constructor(pool: pg.Pool, queryTimeoutMs: number) {
    this.#pool = pool
    this.#queryTimeoutMs = queryTimeoutMs
  }

  get options(): object {
    return this.#pool.options
  }

  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw new DatabaseUnavailableError(error)
    })
    // The query builder tells connections apart by identity.
    const known = this.#clients.get(client) ?? new GuardedClient(client, this.#queryTimeoutMs)
    this.#clients.set(client, known)
    return known
  }

  end(): Promise<void> {
    return this.#pool.end()
  }
}

class GuardedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #queryTimeoutMs: number
  #hasTimeLimit = true
  #failure: DatabaseUnavailableError | null = null

  constructor(client: pg.PoolClient, queryTimeoutMs: number) {
    this.#client = client
    this.#queryTimeoutMs = queryTimeoutMs
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query(): never
  async query<R>(sql?: string, parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    if (typeof sql !== 'string') throw new TypeError('cursors are not used')
    if (this.#failure !== null) throw this.#failure
    if (sql === WITHOUT_TIME_LIMIT) this.#hasTimeLimit = false
    try {
      const limit = this.#hasTimeLimit ? { query_timeout: this.#queryTimeoutMs } : {}
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
