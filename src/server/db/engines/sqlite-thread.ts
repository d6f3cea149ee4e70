import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { DatabaseUnavailableError } from '../errors.ts'

/** The source runs as TypeScript, the bundle as JavaScript; the thread's file is beside either. */
const ENTRY = new URL(`./sqlite-worker${extname(import.meta.url)}`, import.meta.url)

/**
 * A small young generation saves some megabytes. The old generation has no limit, because V8 would end the whole
 * process.
 */
const LIMITS = { maxYoungGenerationSizeMb: 8 }

/** `ref` and `unref` cost as much as a statement: a busy thread calls neither. */
const IDLE_MS = 20

interface Waiting {
  resolve: (answer: StatementAnswer) => void
  reject: (error: Error) => void
}

/**
 * The thread that runs SQLite, so that locks, scans and disk waits never block the event loop. Statements of one turn
 * travel in one message. A crashed thread loses its open transaction; waiting calls are rejected, and the next
 * statement starts another thread.
 */
export class SqliteThread implements StatementExecutor {
  readonly #file: string
  #worker: Worker | null = null
  #identity: string | null = null
  #waiting = new Map<number, Waiting>()
  #batch: StatementRequest[] = []
  #lastId = 0
  #isHeld = false
  #letsGo = false
  #closing: Promise<void> | null = null

  constructor(file: string) {
    this.#file = file
  }

  execute(request: Omit<StatementRequest, 'id'>): Promise<StatementAnswer> {
    if (this.#closing !== null) return Promise.reject(new Error('the database is closed'))
    const id = ++this.#lastId
    if (this.#batch.length === 0) setImmediate(() => this.#post())
    this.#batch.push({ id, ...request })
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const worker = this.#worker
    if (worker === null) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    this.#hold(worker)
    worker.postMessage('close')
    await ended
  }

  #post(): void {
    const batch = this.#batch
    this.#batch = []
    this.#worker ??= this.#start()
    this.#hold(this.#worker)
    this.#worker.postMessage(batch)
  }

  #start(): Worker {
    const workerData: ThreadOptions = { file: this.#file, identity: this.#identity }
    const worker = new Worker(ENTRY, { workerData, env: {}, resourceLimits: LIMITS, name: 'sqlite' })
    let reason: Error | null = null
    worker.on('message', (answer: ThreadAnswer) => this.#receive(answer))
    worker.on('error', (error: Error) => {
      reason = error
    })
    worker.on('exit', () => this.#lose(reason))
    return worker
  }

  #receive({ answers, identity }: ThreadAnswer): void {
    this.#identity = identity
    for (const answer of answers) {
      const waiting = this.#waiting.get(answer.id)
      this.#waiting.delete(answer.id)
      if (answer.failure === undefined) waiting?.resolve(answer)
      else waiting?.reject(toSqliteError(answer.failure))
    }
    if (this.#waiting.size === 0) this.#letGo()
  }

  #hold(worker: Worker): void {
    if (this.#isHeld) return
    this.#isHeld = true
    worker.ref()
  }

  /** An idle database keeps no process alive. */
  #letGo(): void {
    if (this.#letsGo) return
    this.#letsGo = true
    const timer = setTimeout(() => {
      this.#letsGo = false
      if (this.#waiting.size > 0 || this.#closing !== null) return
      this.#isHeld = false
      this.#worker?.unref()
    }, IDLE_MS)
    timer.unref()
  }

  #lose(reason: Error | null): void {
    this.#worker = null
    this.#isHeld = false
    const lost = this.#waiting
    this.#waiting = new Map()
    for (const request of this.#batch) {
      const waiting = lost.get(request.id)
      if (waiting === undefined) continue
      // Not sent yet: the next thread gets it.
      lost.delete(request.id)
      this.#waiting.set(request.id, waiting)
    }
    const error = new DatabaseUnavailableError(reason ?? new Error('the SQLite thread ended'))
    for (const { reject } of lost.values()) reject(error)
  }
}

/** An error of the runner, as `node:sqlite` would throw it. */
export function toSqliteError({ message, code, errcode }: StatementFailure): Error {
  return Object.assign(new Error(message), { code, ...(errcode === null ? {} : { errcode }) })
}

/**
 * The messages between the main thread and the SQLite thread. Types only: the two sides share no code, so that the
 * build can make the thread its own file.
 */

/** The thread's `workerData`. */
export interface ThreadOptions {
  file: string
  /** The file that was opened before, for a second thread: another file at its path is refused. */
  identity: string | null
}

/** Runs the statements of one file, on a thread of its own or on the caller's. */
export interface StatementExecutor {
  execute(request: Omit<StatementRequest, 'id'>): Promise<StatementAnswer>
  /** Call it when nothing waits any more; resolves when the file is closed. */
  close(): Promise<void>
}

export type SqlValue = string | number | bigint | null | Uint8Array

export interface StatementRequest {
  id: number
  sql: string
  parameters: readonly SqlValue[]
  /** Instead of parameters: the statement runs with each of these; all or none. */
  parameterSets?: readonly (readonly SqlValue[])[]
  /**
   * `read`: on the reading connection, independent of the writer. `write`: durable by itself; may share its commit with
   * others. `alone`: on the writing connection, outside of any transaction (pragmas, DDL). `begin`, `transaction`,
   * `posted`, `commit`, `rollback`: parts of the one open transaction. A `posted` statement is pipelined: if it fails,
   * the transaction ends.
   */
  kind: 'read' | 'write' | 'alone' | 'begin' | 'transaction' | 'pipelined' | 'commit' | 'rollback'
}

export interface StatementFailure {
  message: string
  code: string
  /** SQLite's extended result code. */
  errcode: number | null
}

export interface StatementAnswer {
  id: number
  /** Rows, or their JSON text if there are many: parsing it costs half of a structured clone. */
  rows?: Record<string, unknown>[] | string
  changes?: number | bigint
  lastInsertRowid?: number | bigint
  failure?: StatementFailure
}

export type ThreadRequest = StatementRequest[] | 'close'

export interface ThreadAnswer {
  answers: StatementAnswer[]
  /** Identity of the open file. */
  identity: string | null
}
