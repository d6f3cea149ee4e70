/**
 * What the main thread and the SQLite thread say to each other. Types only: the two sides share no code, so that the
 * build can make the thread a file of its own.
 */

/** The thread's `workerData`. */
export interface ThreadOptions {
  file: string
  /** The file that was opened before, when this is a second thread: another one in its place must not be taken for it. */
  identity: string | null
}

export type SqlValue = string | number | bigint | null | Uint8Array

export interface StatementRequest {
  id: number
  sql: string
  parameters: readonly SqlValue[]
  /** Instead of the parameters: the statement is run with each of these, and all of it is stored or none. */
  parameterSets?: readonly (readonly SqlValue[])[]
  /**
   * `read`: on the connection that only reads, whatever the writer is doing. `write`: durable by itself, and free to
   * share its commit with its neighbours. `alone`: on the writing connection, outside any transaction (pragmas, DDL).
   * `begin`, `transaction`, `posted`, `commit`, `rollback`: parts of the one open transaction. Nobody looks at what became
   * of a `posted` one before sending the next: when it fails, the transaction ends there.
   */
  kind: 'read' | 'write' | 'alone' | 'begin' | 'transaction' | 'posted' | 'commit' | 'rollback'
}

export interface StatementFailure {
  message: string
  code: string
  /** SQLite's extended result code. */
  errcode: number | null
}

export interface StatementAnswer {
  id: number
  /** Rows, or their JSON text when they are many: parsing that costs half of what the clone of many objects does. */
  rows?: Record<string, unknown>[] | string
  changes?: number | bigint
  lastInsertRowid?: number | bigint
  failure?: StatementFailure
}

export type ThreadRequest = StatementRequest[] | 'close'

export interface ThreadAnswer {
  answers: StatementAnswer[]
  /** Which file is open. */
  identity: string | null
}
