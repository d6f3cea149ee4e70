import { StatementRunner } from './sqlite-runner.ts'
import {
  type StatementAnswer,
  type StatementExecutor,
  type StatementRequest,
  toSqliteError,
} from './sqlite-thread.ts'

/**
 * Runs SQLite on the calling thread: for a program that only waits for its own statements and serves nobody. It saves
 * the messages to another thread and back, which cost more than a small statement.
 */
export class SqliteInProcess implements StatementExecutor {
  readonly #runner: StatementRunner
  readonly #waiting = new Map<number, PromiseWithResolvers<StatementAnswer>>()
  #batch: StatementRequest[] = []
  #lastId = 0

  constructor(file: string) {
    this.#runner = new StatementRunner({ file, identity: null }, ({ answers }) => {
      for (const answer of answers) this.#settle(answer)
    })
  }

  /** Statements of one turn share their commit, as on the thread. */
  execute(request: Omit<StatementRequest, 'id'>): Promise<StatementAnswer> {
    const id = ++this.#lastId
    if (this.#batch.length === 0) setImmediate(() => this.#run())
    this.#batch.push({ id, ...request })
    const waiting = Promise.withResolvers<StatementAnswer>()
    this.#waiting.set(id, waiting)
    return waiting.promise
  }

  async close(): Promise<void> {
    this.#runner.close()
  }

  #run(): void {
    const batch = this.#batch
    this.#batch = []
    this.#runner.accept(batch)
  }

  #settle(answer: StatementAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (answer.failure === undefined) waiting?.resolve(answer)
    else waiting?.reject(toSqliteError(answer.failure))
  }
}
