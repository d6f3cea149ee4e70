import { type Logger, pino } from 'pino'
import type { LogLevel } from '../config.ts'
import { LogStream } from './log-stream.ts'

export type { Logger } from 'pino'

const STANDARD_OUTPUT = 1

/** Requests are logged as method and path: queries can carry one-time tokens, headers carry keys, bodies carry people. */
export function createLogger(level: LogLevel): Logger {
  const stream = new LogStream(STANDARD_OUTPUT)
  if (level !== 'silent') process.once('exit', () => stream.finish())
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
}
