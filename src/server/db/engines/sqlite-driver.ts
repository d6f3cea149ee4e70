import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { DatabaseUnavailableError } from '../errors.ts'
import type { SqliteThread, SqlValue, StatementAnswer, StatementRequest } from './sqlite-thread.ts'

/**
 * Who may write now. While a transaction is open nobody else writes, and whoever came meanwhile goes in the order of
 * arrival. Single writes need not wait for each other: the SQLite thread runs them one by one.
 *
 * What is sent is sent in the same tick in which the turn is given. A turn that was used a tick later would let a
 * transaction begin in between, and the write would become a part of it.
 */
export class WriteTurn {
  readonly #turnMs: number
  readonly #waitMs: number
  readonly #queue: Queued[] = []
  #holder: Holder | null = null
  /** Single writes without an answer yet: they may share the commit of the transaction that began after them. */
  #unanswered = 0

  constructor({ turnMs = TURN_MS, waitMs = WAIT_MS } = {}) {
    this.#turnMs = turnMs
    this.#waitMs = waitMs
  }

  /** Sends a single write as soon as it may be sent. */
  write<T>(send: () => Promise<T>): Promise<T> {
    const counted = () => {
      this.#unanswered++
      return send().finally(() => this.#unanswered--)
    }
    return this.#holder === null ? counted() : this.#wait(null, counted)
  }

  /**
   * Sends the beginning of a transaction as soon as it may begin; the turn is its own until `end`, or until `expire` is
   * called because it has had it for too long and others wait.
   */
  begin<T>(send: () => Promise<T>, expire: () => void): Promise<T> {
    if (this.#holder !== null) return this.#wait(expire, send)
    this.#give(expire)
    return send()
  }

  end(): void {
    clearTimeout(this.#holder?.timer)
    this.#holder = null
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.expire !== null) this.#give(next.expire)
      next.go()
      if (next.expire !== null) return
    }
  }

  #give(expire: () => void): void {
    const timer = setTimeout(() => {
      holder.isLate = true
      if (this.#queue.length > 0 || this.#unanswered > 0) expire()
    }, this.#turnMs).unref()
    const holder: Holder = { expire, isLate: false, timer }
    this.#holder = holder
  }

  #wait<T>(expire: (() => void) | null, send: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const timer = setTimeout(() => {
      this.#queue.splice(this.#queue.indexOf(queued), 1)
      reject(new DatabaseUnavailableError(new Error(`no turn to write within ${this.#waitMs} ms`)))
    }, this.#waitMs)
    const go = () => {
      clearTimeout(timer)
      resolve(send())
    }
    const queued: Queued = { expire, go }
    this.#queue.push(queued)
    if (this.#holder?.isLate) this.#holder.expire()
    return promise
  }
}

/** A transaction that has had the turn for longer is rolled back as soon as somebody else waits for it. */
const TURN_MS = 4_000

/** Whoever waits for longer is refused; as long as a write waits for the lock of another process. */
const WAIT_MS = 5_000

/** Kysely's driver for the SQLite thread: any number of readers beside one writer at a time. */
export class SqliteDriver implements Driver {
  readonly #thread: SqliteThread
  readonly #turn = new WriteTurn()
  #inUse = 0
  #released = () => {}

  constructor(thread: SqliteThread) {
    this.#thread = thread
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#inUse++
    return new ThreadConnection(this.#thread, this.#turn)
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as ThreadConnection).begin()
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as ThreadConnection).end('commit')
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as ThreadConnection).end('rollback')
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    await (connection as ThreadConnection).end('rollback')
    if (--this.#inUse === 0) this.#released()
  }

  /** What has begun has its end first; Kysely hands out no connection any more. */
  async destroy(): Promise<void> {
    if (this.#inUse > 0) {
      await new Promise<void>((resolve) => {
        this.#released = resolve
      })
    }
    await this.#thread.close()
  }
}

const POSTED = Symbol('posted')

/**
 * A statement of an open transaction that nobody waits for. If it fails, the transaction is taken back, and whatever comes
 * next of it, the commit included, throws the reason.
 */
export function asPosted(query: CompiledQuery): CompiledQuery {
  return { ...query, [POSTED]: true } as CompiledQuery
}

const PARAMETER_SETS = Symbol('parameter sets')

interface Repeated extends CompiledQuery {
  [PARAMETER_SETS]?: readonly (readonly unknown[])[]
}

/**
 * An insert, update or delete that is run with each of these lists of parameters, in one journey between the threads and
 * from one prepared statement. All of it is stored or none.
 */
export function asRepeated(
  query: CompiledQuery,
  parameterSets: readonly (readonly unknown[])[],
): CompiledQuery {
  return { ...query, [PARAMETER_SETS]: parameterSets } as CompiledQuery
}

export class ThreadConnection implements DatabaseConnection {
  readonly #thread: SqliteThread
  readonly #turn: WriteTurn
  #inTransaction = false
  /** Why the open transaction was rolled back before its end. Whatever comes next of it throws this. */
  #expired: DatabaseUnavailableError | null = null
  /** What was sent of the open transaction and not waited for. It is answered before anything that is sent later. */
  #posted: Promise<StatementAnswer>[] = []

  constructor(thread: SqliteThread, turn: WriteTurn) {
    this.#thread = thread
    this.#turn = turn
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#expired !== null) throw this.#expired
    if (POSTED in query) return toResult(await this.#keep(this.#send('posted', query)))
    if (this.#inTransaction) return toResult(await this.#afterPosted(this.#send('transaction', query)))
    const kind = kindOf(query)
    const send = () => this.#send(kind, query)
    return toResult(await (kind === 'read' ? send() : this.#turn.write(send)))
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface wants a generator.
  async *streamQuery<R>(): AsyncGenerator<QueryResult<R>> {
    throw new Error('a cursor would hold the reading connection: read by pages')
  }

  /** Resolves when it is sent: the first statement travels with it. */
  async begin(): Promise<void> {
    await this.#turn.begin(
      async () => {
        this.#inTransaction = true
        this.#keep(this.#send('begin'))
      },
      () => this.#expire(),
    )
  }

  /**
   * The turn passes on as soon as the statement is sent, because the thread keeps the order; it is sent once, because a
   * second one would end somebody else's transaction.
   */
  async end(kind: 'commit' | 'rollback'): Promise<void> {
    if (this.#expired !== null && kind === 'commit') throw this.#expired
    this.#expired = null
    if (!this.#inTransaction) return
    this.#inTransaction = false
    const ended = this.#afterPosted(this.#send(kind))
    this.#turn.end()
    // What cannot be rolled back is gone with its thread; the error that led here is the one to be told.
    await (kind === 'commit' ? ended : ended.catch(() => {}))
  }

  #expire(): void {
    this.#expired = new DatabaseUnavailableError(
      new Error('the transaction was rolled back: it held the writer for too long while others waited'),
    )
    this.#inTransaction = false
    handled(this.#afterPosted(this.#send('rollback')))
    this.#turn.end()
  }

  #send(kind: StatementRequest['kind'], query?: CompiledQuery): Promise<StatementAnswer> {
    const { sql = '', parameters = [] } = query ?? {}
    const sets = (query as Repeated | undefined)?.[PARAMETER_SETS]
    if (sets === undefined) return this.#thread.execute({ kind, sql, parameters: parameters.map(toSqlite) })
    const parameterSets = sets.map((set) => set.map(toSqlite))
    return this.#thread.execute({ kind, sql, parameters: [], parameterSets })
  }

  #keep(answer: Promise<StatementAnswer>): Promise<StatementAnswer> {
    this.#posted.push(handled(answer))
    return answer
  }

  /** The first failure is the cause: what follows it fails only because the transaction is no more. */
  async #afterPosted(answer: Promise<StatementAnswer>): Promise<StatementAnswer> {
    const posted = this.#posted
    this.#posted = []
    handled(answer)
    for (const earlier of posted) await earlier
    return answer
  }
}

/** Whoever waits for it hears of a failure; that nobody waits is no mistake. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

function kindOf({ query, sql }: CompiledQuery): StatementRequest['kind'] {
  switch (query.kind) {
    case 'SelectQueryNode':
      return 'read'
    case 'InsertQueryNode':
    case 'UpdateQueryNode':
    case 'DeleteQueryNode':
      return 'write'
    default:
      return /^\s*(select|with)\b/i.test(sql) ? 'read' : 'alone'
  }
}

function toResult<R>({ rows, changes, lastInsertRowid }: StatementAnswer): QueryResult<R> {
  if (rows !== undefined) return { rows: (typeof rows === 'string' ? JSON.parse(rows) : rows) as R[] }
  return {
    rows: [],
    ...(lastInsertRowid === undefined ? {} : { insertId: BigInt(lastInsertRowid) }),
    ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
  }
}

/** `node:sqlite` would bind an object given first as named parameters, that is as NULLs and without an error. */
function toSqlite(value: unknown): SqlValue {
  if (typeof value === 'string' || value === null) return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array) return value
  throw new TypeError(`a ${typeof value} cannot be a database parameter`)
}

interface Holder {
  /** Rolls the transaction back and ends its turn. */
  expire: () => void
  isLate: boolean
  timer: NodeJS.Timeout
}

interface Queued {
  /** Of a transaction; null for a single write. */
  expire: (() => void) | null
  go: () => void
}
