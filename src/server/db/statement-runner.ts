import { CommitGroup } from './commit-group.ts'
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
/** How long after its arrival a write still waits for another process's lock, and how often it looks. */
const LOCK_WAIT_MS = 5_000
const LOCK_LOOK_MS = 10
/** Nobody joins a commit that is this old, and the reads behind a row of writes get their turn. */
const TURN_MS = 20
/** More rows than this travel as JSON text. */
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

/**
 * Runs the statements that reach the SQLite thread: reads at once, writes in the order of their arrival. A write that
 * finds the file locked by another process waits until the lock is free, and the reads behind it go on.
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

  /** false: the lock is another's, and nothing was done. */
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

  /** Those who share it are answered now, and not before. */
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

/** Another process holds the write lock. */
function isLocked(outcome: Outcome): boolean {
  return 'failure' in outcome && ((outcome.failure.errcode ?? 0) & 0xff) === BUSY
}

function openStorage({ file, identity }: ThreadOptions): Storage {
  // A second thread must find what the first one had open, and never make an empty database in its place.
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
    case 'posted':
      try {
        return group.run(request)
      } catch (error) {
        group.takeBack()
        throw error
      }
    case 'commit':
      group.end(request)
      return null
    case 'rollback':
      return group.takeBack()
    case 'alone':
      // A checkpoint that finds a reader gives up without an error: it must wait here.
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
