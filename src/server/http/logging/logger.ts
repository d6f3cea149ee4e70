import { constants, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { type Logger, pino } from 'pino'
import type { LogLevel } from '#server/config.ts'

export type { Logger } from 'pino'

const STANDARD_OUTPUT = 1

/** Requests are logged as method and path: queries can carry one-time tokens, headers carry keys, bodies carry people. */
export function createLogger(level: LogLevel): Logger {
  const stream = openLog(STANDARD_OUTPUT)
  // As the process ends: one try for what is left.
  if (level !== 'silent') process.once('exit', () => stream.write(''))
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
}

/** What waits for a full disk or a slow reader; past this, new lines are dropped. */
const BUFFER_BYTES = 1_000_000

/** What could not be written is tried again with the next line, or after this. */
const RETRY_MS = 200

/** The logger's number for a warning. */
const WARN = 40

/**
 * Where the log goes. A full disk keeps lines back until there is room again, and a reader that has stopped reading
 * holds up nothing: neither ends or stops the process.
 */
export function openLog(fd: number): ReturnType<typeof pino.destination> {
  const stream = pino.destination({
    dest: openWithoutBlocking(fd),
    sync: true,
    maxLength: BUFFER_BYTES,
    retryEAGAIN: () => false,
  })
  let dropped = 0
  let willRetry = false
  stream.on('drop', () => dropped++)
  // There is nowhere to say it but here. What is left of it comes before the next line.
  stream.on('error', () => {
    if (willRetry) return
    willRetry = true
    setTimeout(() => {
      willRetry = false
      stream.write('')
    }, RETRY_MS).unref()
  })
  stream.on('drain', () => {
    if (dropped === 0) return
    const line = {
      level: WARN,
      time: new Date().toISOString(),
      count: dropped,
      msg: 'log lines were dropped',
    }
    dropped = 0
    stream.write(`${JSON.stringify(line)}\n`)
  })
  return stream
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
