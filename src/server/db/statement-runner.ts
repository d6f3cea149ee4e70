import { SqliteConnection, type StatementOutcome } from './sqlite-connection.ts'
import type {
  StatementAnswer,
  StatementFailure,
  StatementRequest,
  ThreadAnswer,
  ThreadOptions,
} from './sqlite-messages.ts'
import { StoredFile } from './stored-file.ts'

const BUSY = 5
/** How long a write waits for another process's lock, and how often it looks. */
const LOCK_WAIT_MS = 5_000
const LOCK_LOOK_MS = 10
/** Writes that share a commit hold the lock no longer than this, and the reads behind them get their turn. */
const TURN_MS = 20
/** More rows than this travel as JSON text. */
const FEW_ROWS = 8

interface Storage {
  file: StoredFile
  writer: SqliteConnection
  reader: SqliteConnection
  /** The writer's transaction is the one whose `begin` came last. */
  isBegun: boolean
}

type Outcome = StatementOutcome | { failure: StatementFailure }

/**
 * Runs the statements that reach the SQLite thread: reads at once, writes in the order of their arrival. A write that
 * finds the file locked by another process waits until the lock is free, and the reads behind it go on.
 */
export class StatementRunner {
  readonly #options: ThreadOptions
  readonly #send: (answer: ThreadAnswer) => void
  #storage: Storage | null = null
  #writes: StatementRequest[] = []
  #answers: StatementAnswer[] = []
  #willRunWrites = false
  #lockedSince: number | null = null

  constructor(options: ThreadOptions, send: (answer: ThreadAnswer) => void) {
    this.#options = options
    this.#send = send
  }

  accept(requests: readonly StatementRequest[]): void {
    for (const request of requests) {
      if (request.kind !== 'read') this.#writes.push(request)
      else
        this.#answer(
          request,
          this.#attempt(({ reader }) => reader.run(request.sql, request.parameters)),
        )
    }
    if (!this.#willRunWrites) this.#runWrites()
    this.#flush()
  }

  close(): void {
    this.#storage?.reader.close()
    this.#storage?.writer.close()
    this.#storage = null
  }

  /** Until none is left, the turn is over, or the file is locked by another process. */
  #runWrites(): void {
    this.#willRunWrites = false
    const end = performance.now() + TURN_MS
    for (let first = this.#writes[0]; first !== undefined; first = this.#writes[0]) {
      if (!this.#runNext(first, end)) {
        this.#willRunWrites = true
        setTimeout(() => this.#resume(), LOCK_LOOK_MS)
        return
      }
      this.#lockedSince = null
      if (performance.now() >= end) {
        this.#willRunWrites = true
        setImmediate(() => this.#resume())
        return
      }
    }
  }

  #resume(): void {
    this.#runWrites()
    this.#flush()
  }

  /** false: the lock is another's, and nothing was done. */
  #runNext(first: StatementRequest, end: number): boolean {
    const shared = this.#writes.findIndex((request) => request.kind !== 'write')
    const count = shared === -1 ? this.#writes.length : shared
    if (count > 1) return this.#runShared(count, end)
    const outcome = this.#attempt((storage) => runAlone(storage, first))
    if (this.#mustWait(outcome)) return false
    this.#writes.shift()
    this.#answer(first, outcome)
    return true
  }

  /** One commit, and so one wait for the disk, for writes that know nothing of each other; none is answered before it. */
  #runShared(count: number, end: number): boolean {
    const begun = this.#attempt(({ writer }) => writer.run('begin immediate'))
    if (this.#mustWait(begun)) return false
    const group: { request: StatementRequest; outcome: Outcome }[] = []
    let fault = 'failure' in begun ? begun : null
    for (const request of this.#writes.slice(0, count)) {
      const outcome = fault ?? this.#attempt(({ writer }) => writer.run(request.sql, request.parameters))
      group.push({ request, outcome })
      // A statement that fails is undone alone, unless it was the disk that failed: then SQLite has undone them all.
      if ('failure' in outcome && this.#storage?.writer.isTransaction !== true) fault = outcome
      if (fault === null && performance.now() >= end) break
    }
    if (fault === null) {
      const committed = this.#attempt(commit)
      if ('failure' in committed) fault = committed
    }
    this.#writes.splice(0, group.length)
    for (const { request, outcome } of group) this.#answer(request, fault ?? outcome)
    return true
  }

  #mustWait(outcome: Outcome): boolean {
    if (!('failure' in outcome) || ((outcome.failure.errcode ?? 0) & 0xff) !== BUSY) return false
    this.#lockedSince ??= performance.now()
    return performance.now() - this.#lockedSince < LOCK_WAIT_MS
  }

  #attempt(work: (storage: Storage) => StatementOutcome): Outcome {
    try {
      this.#storage ??= openStorage(this.#options)
      return work(this.#storage)
    } catch (error) {
      return { failure: describeFailure(error) }
    }
  }

  #answer({ id }: StatementRequest, outcome: Outcome): void {
    if ('failure' in outcome || outcome.rows === undefined) {
      this.#answers.push({ id, ...outcome })
    } else {
      const { rows } = outcome
      this.#answers.push({ id, rows: rows.length > FEW_ROWS ? JSON.stringify(rows) : rows })
    }
  }

  #flush(): void {
    if (this.#answers.length === 0) return
    this.#send({ answers: this.#answers, identity: this.#storage?.file.identity ?? null })
    this.#answers = []
  }
}

function openStorage({ file, identity }: ThreadOptions): Storage {
  // A second thread must find what the first one had open, and never make an empty database in its place.
  if (identity !== null) new StoredFile(file, identity)
  const writer = new SqliteConnection(file, 'write')
  try {
    const reader = new SqliteConnection(file, 'read')
    return { writer, reader, file: new StoredFile(file, identity), isBegun: false }
  } catch (error) {
    writer.close()
    throw error
  }
}

function runAlone(storage: Storage, { kind, sql, parameters }: StatementRequest): StatementOutcome {
  const { writer, file } = storage
  switch (kind) {
    case 'begin':
      storage.isBegun = false
      // Taking the write lock at once: a deferred transaction that reads and then writes fails when another process wrote.
      writer.run('begin immediate')
      storage.isBegun = true
      return {}
    case 'commit':
      assertTransaction(storage)
      return commit(storage)
    case 'rollback':
      return rollback(storage)
    case 'transaction':
      assertTransaction(storage)
      return writer.run(sql, parameters)
    case 'posted':
      assertTransaction(storage)
      try {
        return writer.run(sql, parameters)
      } catch (error) {
        rollback(storage)
        throw error
      }
    case 'alone':
      // A checkpoint that finds a reader gives up without an error: it must wait here.
      return writer.runPatiently(sql, parameters)
    default: {
      const outcome = writer.run(sql, parameters)
      file.assertInPlace()
      return outcome
    }
  }
}

function commit(storage: Storage): StatementOutcome {
  try {
    storage.writer.run('commit')
  } catch (error) {
    rollback(storage)
    throw error
  }
  storage.file.assertInPlace()
  return {}
}

/** A full disk makes SQLite roll back by itself; a ROLLBACK after it would throw and hide the cause. */
function rollback({ writer }: Storage): StatementOutcome {
  return writer.isTransaction ? writer.run('rollback') : {}
}

/**
 * Statements are sent before their transaction is known to have begun. Without this they would be written for good,
 * statement by statement, or become a part of somebody else's.
 */
function assertTransaction({ writer, isBegun }: Storage): void {
  if (!isBegun || !writer.isTransaction) throw new Error('the transaction was lost')
}

function describeFailure(error: unknown): StatementFailure {
  const { message, code, errcode } = error as { message?: unknown; code?: unknown; errcode?: unknown }
  return {
    message: String(message ?? error),
    code: typeof code === 'string' ? code : 'ERR_SQLITE_THREAD',
    errcode: typeof errcode === 'number' ? errcode : null,
  }
}
