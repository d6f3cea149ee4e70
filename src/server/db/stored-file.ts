import { statSync } from 'node:fs'

/**
 * The file that is open, as the file system knows it. SQLite goes on writing into a file that was deleted or replaced,
 * and reports success; whoever acknowledges a write must look whether the file is still where it was opened.
 */
export class StoredFile {
  readonly path: string
  readonly identity: string
  readonly #log: string
  #logIdentity: string | null

  /** Call it when the database is open. `expected` is the identity of an earlier opening. */
  constructor(path: string, expected: string | null) {
    const identity = identify(path)
    if (identity === null || (expected !== null && identity !== expected)) throw new FileGoneError(path)
    this.path = path
    this.identity = identity
    this.#log = `${path}-wal`
    this.#logIdentity = identify(this.#log)
  }

  /** Two looks at the file system, some microseconds beside a commit's wait for the disk. */
  assertInPlace(): void {
    if (identify(this.path) !== this.identity) throw new FileGoneError(this.path)
    const log = identify(this.#log)
    // The log is made by the first write and stays for as long as a connection is open.
    if (log === null || (this.#logIdentity !== null && log !== this.#logIdentity)) {
      throw new FileGoneError(this.#log)
    }
    this.#logIdentity = log
  }
}

class FileGoneError extends Error {
  readonly code = 'STORAGE_FILE_GONE'
  constructor(path: string) {
    super(`the database file that is open is no longer at ${path}`)
    this.name = 'FileGoneError'
  }
}

/** The number of a file that is open belongs to no other, even after its name is gone. */
function identify(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`
}
