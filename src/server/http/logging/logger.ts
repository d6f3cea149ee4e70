import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { type Logger, pino } from 'pino'
import type { LogLevel } from '#server/config.ts'

export type { Logger } from 'pino'

const STANDARD_OUTPUT = 1

/** Requests are logged as method and path: queries can carry one-time tokens, headers carry keys, bodies carry people. */
export function createLogger(level: LogLevel): Logger {
  const stream = new LogStream(STANDARD_OUTPUT)
  if (level !== 'silent') process.once('exit', () => stream.finish())
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
}

/** What waits for a full disk or a slow reader; past this, new lines are dropped. */
const BUFFER_BYTES = 1_000_000

/** The logger's number for a warning. */
const WARN = 40

/** What could not be written is tried again with the next line, or after this. */
const RETRY_MS = 200

/**
 * Where the log goes: the lines of one turn of the event loop in one write, in order. A full disk keeps lines back until
 * there is room again, and a reader that has stopped reading holds up nothing: neither ends or stops the process. (The
 * logger's own stream fails with an event that ends the process, and its flush tries for ever.)
 */
export class LogStream {
  readonly #fd: number
  #waiting: string[] = []
  #waitingBytes = 0
  #rest: Uint8Array | null = null
  #willWrite = false
  #retry: NodeJS.Timeout | null = null
  /** Since the line that last said so. */
  #dropped = 0

  constructor(fd: number) {
    this.#fd = openWithoutBlocking(fd)
  }

  write(line: string): void {
    if (this.#waitingBytes + line.length > BUFFER_BYTES) {
      this.#dropped++
      return
    }
    this.#waiting.push(line)
    this.#waitingBytes += line.length
    if (this.#willWrite) return
    this.#willWrite = true
    setImmediate(() => this.#writeOn())
  }

  /** As the process ends: one try for what is left. */
  finish(): void {
    this.#tryToWrite()
  }

  #writeOn(): void {
    this.#willWrite = false
    if (this.#tryToWrite() || this.#retry !== null) return
    this.#retry = setTimeout(() => {
      this.#retry = null
      this.#writeOn()
    }, RETRY_MS).unref()
  }

  /** False when something is left. */
  #tryToWrite(): boolean {
    let left = this.#take()
    try {
      for (; left.length > 0; left = this.#take())
        while (left.length > 0) left = left.subarray(writeSync(this.#fd, left))
      return true
    } catch {
      // There is nowhere to say it but here.
      this.#rest = left
      return false
    }
  }

  /** What a write has left over comes first, so that no line is torn. */
  #take(): Uint8Array {
    if (this.#rest !== null) {
      const rest = this.#rest
      this.#rest = null
      return rest
    }
    // What was dropped came after all that waits.
    const chunk = Buffer.from(this.#waiting.join('') + this.#tellDropped())
    this.#waiting = []
    this.#waitingBytes = 0
    return chunk
  }

  /** Written with the lines before the gap, in the form of the logger's own. */
  #tellDropped(): string {
    const count = this.#dropped
    if (count === 0) return ''
    this.#dropped = 0
    const line = { level: WARN, time: new Date().toISOString(), count, msg: 'log lines were dropped' }
    return `${JSON.stringify(line)}\n`
  }
}

/**
 * The same file, pipe, terminal or socket, on which a write fails at once where it would have to wait for a reader. A
 * pipe or a terminal is opened a second time, so that nobody who shares it is changed; a socket cannot be, and Node's own
 * stream makes the one there is so. Where neither can be done, the descriptor is given back as it is.
 */
function openWithoutBlocking(fd: number): number {
  // A write to a file waits for nobody.
  if (fstatSync(fd).isFile()) return fd
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return makeNonBlocking(fd)
  }
}

/** Kept for as long as the process lives: a stream that is collected closes its descriptor. */
const streams: Socket[] = []

function makeNonBlocking(fd: number): number {
  try {
    streams.push(new Socket({ fd, readable: false, writable: true }).unref())
  } catch {
    // A kind that Node has no stream for.
  }
  return fd
}
