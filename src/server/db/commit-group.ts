import type { SqliteConnection, StatementOutcome } from './sqlite-connection.ts'
import type { StatementRequest } from './sqlite-messages.ts'
import type { StoredFile } from './stored-file.ts'

/** What has ended well and is not durable yet. */
interface Member {
  request: StatementRequest
  outcome: StatementOutcome
}

/**
 * One transaction of SQLite's, and so one wait for the disk, that several of ours share, one after the other, and single
 * writes between them. Each of ours is a savepoint in it: it is taken back alone, sees what those before it did, and is
 * answered when all of it is durable. Nobody outside sees any of it before.
 */
export class CommitGroup {
  readonly #writer: SqliteConnection
  readonly #file: StoredFile
  #members: Member[] = []
  #opened = false
  /** Statements are sent before their transaction is known to have begun: the one whose `begin` came last, and went well. */
  #isBegun = false
  #since = 0

  constructor(writer: SqliteConnection, file: StoredFile) {
    this.#writer = writer
    this.#file = file
  }

  get identity(): string {
    return this.#file.identity
  }

  get isOpen(): boolean {
    return this.#opened && this.#writer.isTransaction
  }

  /** How long the write lock has been held. */
  get age(): number {
    return this.isOpen ? performance.now() - this.#since : 0
  }

  /** Throws while the lock is another process's. */
  open(): void {
    if (this.isOpen) return
    this.#opened = false
    // Taking the write lock at once: a deferred transaction that reads and then writes fails when another process wrote.
    this.#writer.run('begin immediate')
    this.#opened = true
    this.#since = performance.now()
  }

  write(request: StatementRequest): void {
    this.#members.push({ request, outcome: this.#execute(request) })
  }

  begin(): StatementOutcome {
    this.#writer.run('savepoint ours')
    this.#isBegun = true
    return {}
  }

  run(request: StatementRequest): StatementOutcome {
    this.#assertBegun()
    return this.#execute(request)
  }

  /** Ends what was begun; it is durable with the group. */
  end(request: StatementRequest): void {
    this.#assertBegun()
    this.#isBegun = false
    this.#writer.run('release ours')
    this.#members.push({ request, outcome: {} })
  }

  /** A full disk makes SQLite take everything back by itself; to do it again would throw and hide the cause. */
  takeBack(): StatementOutcome {
    if (!this.isOpen) {
      // Not ours: begun by a statement that stood alone.
      if (this.#writer.isTransaction) this.#writer.run('rollback')
    } else if (this.#isBegun) {
      this.#writer.run('rollback to ours')
      this.#writer.run('release ours')
    }
    this.#isBegun = false
    return {}
  }

  /** Makes it durable, or throws; either way it is over, and `takeMembers` has who was in it. */
  commit(): void {
    try {
      this.#writer.run('commit')
    } catch (error) {
      if (this.isOpen) this.#writer.run('rollback')
      throw error
    }
    if (this.#members.length > 0) this.#file.assertInPlace()
  }

  takeMembers(): Member[] {
    this.#opened = false
    return this.#members.splice(0)
  }

  #execute({ sql, parameters, parameterSets }: StatementRequest): StatementOutcome {
    return parameterSets === undefined
      ? this.#writer.run(sql, parameters)
      : this.#writer.runEach(sql, parameterSets)
  }

  /** Without it a statement would be written for good by itself, or become a part of somebody else's transaction. */
  #assertBegun(): void {
    if (!this.#isBegun || !this.isOpen) throw new Error('the transaction was lost')
  }
}
