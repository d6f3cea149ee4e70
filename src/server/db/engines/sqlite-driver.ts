import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { DatabaseUnavailableError } from '../errors.ts'
import type { SqlValue, StatementAnswer, StatementExecutor, StatementRequest } from './sqlite-thread.ts'

/**
 * Decides who may write. While a transaction is open nothing else writes, and others wait in order of arrival. Single
 * writes do not wait for each other: the SQLite thread runs them one by one.
 *
 * A statement is sent in the same tick in which its turn begins. A tick later, a transaction could begin in between,
 * and the write would become part of it.
 */
export class WriteTurn {
  readonly #turnMs: number
  readonly #waitMs: number
  readonly #idleMs: number
  readonly #queue: Queued[] = []
  #holder: Holder | null = null
  /** Unanswered single writes: they may share the commit of the next transaction. */
  #unanswered = 0

  constructor({ turnMs = TURN_MS, waitMs = WAIT_MS, idleMs = IDLE_MS } = {}) {
    this.#turnMs = turnMs
    this.#waitMs = waitMs
    this.#idleMs = idleMs
  }

  /** Sends a single write as soon as possible. */
  write<T>(send: () => Promise<T>): Promise<T> {
    const counted = () => {
      this.#unanswered++
      return send().finally(() => this.#unanswered--)
    }
    return this.#holder === null ? counted() : this.#wait(null, counted)
  }

  /**
   * Sends the beginning of a transaction as soon as possible. It keeps the turn until `end`, or until `expire` is
   * called because it took too long while others wait.
   */
  begin<T>(send: () => Promise<T>, transaction: OpenTransaction): Promise<T> {
    if (this.#holder !== null) return this.#wait(transaction, send)
    this.#give(transaction)
    return send()
  }

  end(): void {
    clearTimeout(this.#holder?.timer)
    this.#holder = null
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.transaction !== null) this.#give(next.transaction)
      next.go()
      if (next.transaction !== null) return
    }
  }

  #give(transaction: OpenTransaction): void {
    const look = () => {
      holder.isLate = true
      if (this.#queue.length > 0 || this.#unanswered > 0) return transaction.expire(HELD_TOO_LONG)
      const idleMs = transaction.idleMs()
      if (idleMs >= this.#idleMs) return transaction.expire(IDLE_TOO_LONG)
      holder.timer = setTimeout(look, this.#idleMs - idleMs).unref()
    }
    const holder: Holder = { transaction, isLate: false, timer: setTimeout(look, this.#turnMs).unref() }
    this.#holder = holder
  }

  #wait<T>(transaction: OpenTransaction | null, send: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const timer = setTimeout(() => {
      this.#queue.splice(this.#queue.indexOf(queued), 1)
      reject(new DatabaseUnavailableError(new Error(`no turn to write within ${this.#waitMs} ms`)))
    }, this.#waitMs)
    const go = () => {
      clearTimeout(timer)
      resolve(send())
    }
    const queued: Queued = { transaction, go }
    this.#queue.push(queued)
    if (this.#holder?.isLate) this.#holder.transaction.expire(HELD_TOO_LONG)
    return promise
  }
}

/** A transaction that has held the turn for longer is rolled back as soon as another write waits. */
const TURN_MS = 4_000

/** A write that waits longer is refused; the same as the wait for another process's lock. */
const WAIT_MS = 5_000

/** A transaction that sends nothing for this long is rolled back, whoever waits: it locks out other processes. As PostgreSQL. */
const IDLE_MS = 10_000

const HELD_TOO_LONG = 'it held the writer for too long while others waited'

const IDLE_TOO_LONG = 'it sent nothing for too long'

/** Kysely's driver for the SQLite thread: many readers beside one writer. */
export class SqliteDriver implements Driver {
  readonly #thread: StatementExecutor
  readonly #turn = new WriteTurn()
  #inUse = 0
  #released = () => {}

  constructor(thread: StatementExecutor) {
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

  /** Running work ends first; Kysely gives out no more connections. */
  async destroy(): Promise<void> {
    if (this.#inUse > 0) {
      await new Promise<void>((resolve) => {
        this.#released = resolve
      })
    }
    await this.#thread.close()
  }
}

const PIPELINED = Symbol('pipelined')

/**
 * A statement of an open transaction that is not awaited. If it fails, the transaction is rolled back, and its next
 * statement or commit throws the reason.
 */
export function asPipelined(query: CompiledQuery): CompiledQuery {
  return { ...query, [PIPELINED]: true } as CompiledQuery
}

const PARAMETER_SETS = Symbol('parameter sets')

interface Repeated extends CompiledQuery {
  [PARAMETER_SETS]?: readonly (readonly unknown[])[]
}

/**
 * An insert, update or delete that runs with each list of parameters, in one round trip to the thread. All rows are
 * stored or none.
 */
export function asRepeated(
  query: CompiledQuery,
  parameterSets: readonly (readonly unknown[])[],
): CompiledQuery {
  return { ...query, [PARAMETER_SETS]: parameterSets } as CompiledQuery
}

export class ThreadConnection implements DatabaseConnection {
  readonly #thread: StatementExecutor
  readonly #turn: WriteTurn
  #inTransaction = false
  /** Statements without an answer, and when the last one was answered. */
  #unanswered = 0
  #answeredAt = 0
  /** Why the open transaction was rolled back early. Its next statement throws this. */
  #expired: DatabaseUnavailableError | null = null
  /** Pipelined statements of the open transaction. They are answered before later ones. */
  #pipelined: Promise<StatementAnswer>[] = []

  constructor(thread: StatementExecutor, turn: WriteTurn) {
    this.#thread = thread
    this.#turn = turn
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#expired !== null) throw this.#expired
    if (PIPELINED in query) return toResult(await this.#keep(this.#send('pipelined', query)))
    if (this.#inTransaction) return toResult(await this.#afterPipelined(this.#send('transaction', query)))
    const kind = kindOf(query)
    const send = () => this.#send(kind, query)
    return toResult(await (kind === 'read' ? send() : this.#turn.write(send)))
  }

  // biome-ignore lint/correctness/useYield: Kysely's interface wants a generator.
  async *streamQuery<R>(): AsyncGenerator<QueryResult<R>> {
    throw new Error('cursors are not supported: read in pages')
  }

  /** Resolves when it is queued: it travels with the first statement. */
  async begin(): Promise<void> {
    await this.#turn.begin(
      async () => {
        this.#inTransaction = true
        this.#keep(this.#send('begin'))
      },
      {
        expire: (reason) => this.#expire(reason),
        idleMs: () => (this.#unanswered > 0 ? 0 : performance.now() - this.#answeredAt),
      },
    )
  }

  /**
   * The turn passes on as soon as the statement is sent, because the thread keeps the order. It is sent once: a second
   * one would end another transaction.
   */
  async end(kind: 'commit' | 'rollback'): Promise<void> {
    if (this.#expired !== null && kind === 'commit') throw this.#expired
    this.#expired = null
    if (!this.#inTransaction) return
    this.#inTransaction = false
    const ended = this.#afterPipelined(this.#send(kind))
    this.#turn.end()
    // A failed rollback means that the thread is gone; the error that led here is the one to report.
    await (kind === 'commit' ? ended : ended.catch(() => {}))
  }

  #expire(reason: string): void {
    this.#expired = new DatabaseUnavailableError(new Error(`the transaction was rolled back: ${reason}`))
    this.#inTransaction = false
    handled(this.#afterPipelined(this.#send('rollback')))
    this.#turn.end()
  }

  #send(kind: StatementRequest['kind'], query?: CompiledQuery): Promise<StatementAnswer> {
    const { sql = '', parameters = [] } = query ?? {}
    const sets = (query as Repeated | undefined)?.[PARAMETER_SETS]
    const answer =
      sets === undefined
        ? this.#thread.execute({ kind, sql, parameters: parameters.map(toSqlite) })
        : this.#thread.execute({
            kind,
            sql,
            parameters: [],
            parameterSets: sets.map((set) => set.map(toSqlite)),
          })
    this.#unanswered++
    const answered = () => {
      this.#unanswered--
      this.#answeredAt = performance.now()
    }
    answer.then(answered, answered)
    return answer
  }

  #keep(answer: Promise<StatementAnswer>): Promise<StatementAnswer> {
    this.#pipelined.push(handled(answer))
    return answer
  }

  /** The first failure is the cause: later ones only follow from the missing transaction. */
  async #afterPipelined(answer: Promise<StatementAnswer>): Promise<StatementAnswer> {
    const pipelined = this.#pipelined
    this.#pipelined = []
    handled(answer)
    for (const earlier of pipelined) await earlier
    return answer
  }
}

/** Marks the rejection as handled; callers that await the promise still get it. */
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

/** `node:sqlite` would bind a leading object as named parameters, that is as NULLs without an error. */
function toSqlite(value: unknown): SqlValue {
  if (typeof value === 'string' || value === null) return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array) return value
  throw new TypeError(`a ${typeof value} cannot be a database parameter`)
}

interface OpenTransaction {
  /** Rolls it back and ends its turn. */
  expire: (reason: string) => void
  /** For how long it has sent nothing; 0 while it waits for an answer. */
  idleMs: () => number
}

interface Holder {
  transaction: OpenTransaction
  isLate: boolean
  timer: NodeJS.Timeout
}

interface Queued {
  /** For a transaction; null for a single write. */
  transaction: OpenTransaction | null
  go: () => void
}
