import { write, writeSync } from 'node:fs'

/** What waits for a full disk or a slow reader; past this, new lines are dropped. */
const BUFFER_BYTES = 1_000_000
/** A write that takes longer counts as hanging. */
const STUCK_MS = 1_000

/**
 * Where the log goes: written beside the requests, not between them. A full disk keeps lines back until there is room
 * again, and a reader that has stopped reading holds up nothing: neither ends or stops the process. (The logger's own
 * stream writes synchronously, fails with an event that ends the process, and its flush tries for ever.)
 */
export class LogStream {
  readonly #fd: number
  #waiting: string[] = []
  #waitingBytes = 0
  #rest: Uint8Array | null = null
  #writingSince: number | null = null
  dropped = 0

  constructor(fd: number) {
    this.#fd = fd
  }

  write(line: string): void {
    if (this.#waitingBytes + line.length > BUFFER_BYTES) {
      this.dropped++
      return
    }
    this.#waiting.push(line)
    this.#waitingBytes += line.length
    if (this.#writingSince === null) this.#writeOn()
  }

  /** As the process ends: one try for what is left. */
  finish(): void {
    // A thread that is inside a write would be waited for, and with it the end of the process.
    if (this.#writingSince !== null && Date.now() - this.#writingSince > STUCK_MS)
      process.kill(process.pid, 'SIGKILL')
    try {
      for (let left = this.#take(); left.length > 0; left = this.#take())
        while (left.length > 0) left = left.subarray(writeSync(this.#fd, left))
    } catch {
      // There is nowhere left to say it.
    }
  }

  #writeOn(): void {
    const chunk = this.#take()
    if (chunk.length === 0) return
    this.#writingSince = Date.now()
    write(this.#fd, chunk, (error, written) => {
      this.#writingSince = null
      const left = error === null ? chunk.subarray(written) : chunk
      if (left.length > 0) this.#rest = left
      // After a failure the next line tries again.
      if (error === null) this.#writeOn()
    })
  }

  /** What a write has left over comes first, so that no line is torn. */
  #take(): Uint8Array {
    if (this.#rest !== null) {
      const rest = this.#rest
      this.#rest = null
      return rest
    }
    const chunk = Buffer.from(this.#waiting.join(''))
    this.#waiting = []
    this.#waitingBytes = 0
    return chunk
  }
}
