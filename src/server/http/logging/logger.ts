import { constants, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { type Logger, type LoggerOptions, pino } from 'pino'
import type { LogLevel } from '#server/config.ts'
import { isLoggedOutage } from '#server/db/errors.ts'

export type { Logger } from 'pino'

const STANDARD_OUTPUT = 1

/** Requests are logged as method and path: queries can contain tokens, headers keys, bodies personal data. */
export function createLogger(level: LogLevel): Logger {
  const stream = openLog(STANDARD_OUTPUT)
  // On exit: one attempt for what is left.
  if (level !== 'silent') process.once('exit', () => stream.write(''))
  return pino({ ...LOG_FORMAT, level }, stream)
}

export const LOG_FORMAT: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  hooks: {
    // During an outage every regular task fails again and again: the connection pool has written the line.
    logMethod(args, method) {
      const [details] = args as unknown[]
      if (!isLoggedOutage((details as { err?: unknown } | null)?.err)) method.apply(this, args)
    },
  },
}

/** Buffer for a full disk or a slow reader; beyond it, new lines are dropped. */
const BUFFER_BYTES = 1_000_000

/** Failed writes are retried with the next line, or after this time. */
const RETRY_MS = 200

/** Pino's number for a warning. */
const WARN = 40

/**
 * The log's destination. A full disk keeps lines until there is space, and a stopped reader blocks nothing: neither
 * ends or stops the process.
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
  // The error cannot be logged anywhere else. The rest of the line is written before the next one.
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
 * Opens the same file, pipe, terminal or socket so that a write fails instead of waiting for a reader. A pipe or
 * terminal is opened a second time, so that other processes that share it are not affected; a socket cannot be, so
 * Node's own stream makes it non-blocking. Otherwise the descriptor is returned unchanged.
 */
function openWithoutBlocking(fd: number): number {
  // A write to a file never waits for a reader.
  if (fstatSync(fd).isFile()) return fd
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return makeNonBlocking(fd)
  }
}

/** Kept for the life of the process: a collected stream closes its descriptor. */
const streams: Socket[] = []

function makeNonBlocking(fd: number): number {
  try {
    streams.push(new Socket({ fd, readable: false, writable: true }).unref())
  } catch {
    // A kind without a Node stream.
  }
  return fd
}
