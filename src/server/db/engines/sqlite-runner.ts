import { SqliteConnection, type StatementOutcome, StoredFile } from './sqlite-connection.ts'
import type {
  StatementAnswer,
  StatementFailure,
  StatementRequest,
  ThreadAnswer,
  ThreadOptions,
} from './sqlite-thread.ts'

/**
 * Runs the statements of one file: reads at once, writes in order of arrival. A write that finds the file
 * locked by another process waits, while reads continue.
 */
export class StatementRunner {
  readonly #options: ThreadOptions
  readonly #send: (answer: ThreadAnswer) => void
  #storage: Storage | null = null
  #writes: Arrived[] = []
  #answers: StatementAnswer[] = []
  #willRunWrites = false

  constructor(options: ThreadOptions, send: (answer: ThreadAnswer) => void) {
    this.#options = options
    this.#send = send
  }

  accept(requests: readonly StatementRequest[]): void {
    for (const request of requests) {
      if (request.kind !== 'read') this.#writes.push({ request, at: performance.now() })
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
      if (!this.#runNext(first)) {
        this.#willRunWrites = true
        setTimeout(() => this.#resume(), LOCK_LOOK_MS)
        return
      }
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

  /** False: another process has the lock, and nothing was done. */
  #runNext({ request: first, at }: Arrived): boolean {
    const { kind } = first
    if (kind === 'alone') this.#commit()
    const outcome = this.#attempt((storage) => runOne(storage, first))
    if (outcome !== null && isLocked(outcome) && performance.now() - at < LOCK_WAIT_MS) return false
    this.#writes.shift()
    if (outcome !== null) this.#answer(first, outcome)
    if (outcome !== null && 'failure' in outcome && this.#storage?.group.isOpen === false)
      this.#answerMembers(outcome)
    const isEnd = kind === 'write' || kind === 'commit' || kind === 'rollback'
    if (isEnd && !this.#nextMayJoin()) this.#commit()
    return true
  }

  #nextMayJoin(): boolean {
    const kind = this.#writes[0]?.request.kind
    return (kind === 'write' || kind === 'begin') && (this.#storage?.group.age ?? 0) < TURN_MS
  }

  /** Answers all members of the group after the commit. */
  #commit(): void {
    if (this.#storage?.group.isOpen !== true) return
    const outcome = this.#attempt(({ group }) => {
      group.commit()
      return null
    })
    this.#answerMembers(outcome)
  }

  /** With their own outcomes, unless the disk failed: then SQLite has undone them all. */
  #answerMembers(fault: { failure: StatementFailure } | null): void {
    for (const { request, outcome } of this.#storage?.group.takeMembers() ?? [])
      this.#answer(request, fault ?? outcome)
  }

  #attempt<T extends StatementOutcome | null>(
    work: (storage: Storage) => T,
  ): T | { failure: StatementFailure } {
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
    this.#send({ answers: this.#answers, identity: this.#storage?.group.identity ?? null })
    this.#answers = []
  }
}

/** No write joins a commit of this age, so that reads get their turn. */
const TURN_MS = 20

const LOCK_LOOK_MS = 10

const BUSY = 5

/** How long a write waits for another process's lock, and how often it checks. */
const LOCK_WAIT_MS = 5_000

/**
 * One SQLite transaction, and so one sync, shared by several of ours and single writes between them. Each is a
 * savepoint: it is rolled back alone, sees what those before it did, and is answered when everything is durable.
 * Nothing outside sees it before.
 */
class CommitGroup {
  readonly #writer: SqliteConnection
  readonly #file: StoredFile
  #members: Member[] = []
  #opened = false
  /**
   * Statements are sent before their transaction is known to have begun: they belong to the last successful `begin`.
   */
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

  /** Throws while another process has the lock. */
  open(): void {
    if (this.isOpen) return
    this.#opened = false
    // Takes the write lock at once: a deferred transaction that reads and then writes fails if another process wrote.
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

  /** Ends the savepoint; it is durable with the group. */
  end(request: StatementRequest): void {
    this.#assertBegun()
    this.#isBegun = false
    this.#writer.run('release ours')
    this.#members.push({ request, outcome: {} })
  }

  /** On a full disk SQLite rolls back by itself; repeating it would throw and hide the cause. */
  rollBack(): StatementOutcome {
    if (!this.isOpen) {
      // Begun by a statement outside of a group.
      if (this.#writer.isTransaction) this.#writer.run('rollback')
    } else if (this.#isBegun) {
      this.#writer.run('rollback to ours')
      this.#writer.run('release ours')
    }
    this.#isBegun = false
    return {}
  }

  /** Commits or throws; the group is over in both cases, and `takeMembers` returns its members. */
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

  /** Without this, a statement would be committed by itself or become part of another transaction. */
  #assertBegun(): void {
    if (!this.#isBegun || !this.isOpen) throw new Error('the transaction was lost')
  }
}

/** More rows than this are sent as JSON text. */
const FEW_ROWS = 8

interface Storage {
  writer: SqliteConnection
  reader: SqliteConnection
  group: CommitGroup
}

interface Arrived {
  request: StatementRequest
  at: number
}

type Outcome = StatementOutcome | { failure: StatementFailure }

/** Another process holds the write lock. */
function isLocked(outcome: Outcome): boolean {
  return 'failure' in outcome && ((outcome.failure.errcode ?? 0) & 0xff) === BUSY
}

function openStorage({ file, identity }: ThreadOptions): Storage {
  // A second thread must find the file of the first, and never create an empty database in its place.
  if (identity !== null) new StoredFile(file, identity)
  const writer = new SqliteConnection(file, 'write')
  try {
    const reader = new SqliteConnection(file, 'read')
    const group = new CommitGroup(writer, new StoredFile(file, identity))
    return { writer, reader, group }
  } catch (error) {
    writer.close()
    throw error
  }
}

/** Null for what is answered when it is durable. */
function runOne({ writer, group }: Storage, request: StatementRequest): StatementOutcome | null {
  switch (request.kind) {
    case 'begin':
      group.open()
      return group.begin()
    case 'transaction':
      return group.run(request)
    case 'pipelined':
      try {
        return group.run(request)
      } catch (error) {
        group.rollBack()
        throw error
      }
    case 'commit':
      group.end(request)
      return null
    case 'rollback':
      return group.rollBack()
    case 'alone':
      // A checkpoint that meets a reader gives up without an error: it must wait here.
      return writer.runPatiently(request.sql, request.parameters)
    default:
      group.open()
      group.write(request)
      return null
  }
}

function describeFailure(error: unknown): StatementFailure {
  const { message, code, errcode } = error as { message?: unknown; code?: unknown; errcode?: unknown }
  return {
    message: String(message ?? error),
    code: typeof code === 'string' ? code : 'ERR_SQLITE_THREAD',
    errcode: typeof errcode === 'number' ? errcode : null,
  }
}

/** Succeeded, but not durable yet. */
interface Member {
  request: StatementRequest
  outcome: StatementOutcome
}
