import { type Logger, pino } from 'pino'
import type { LogLevel } from '../config.ts'
import { openLogStream } from './log-stream.ts'

export type { Logger } from 'pino'

/** Requests are logged as method and path: queries can carry one-time tokens, headers carry keys, bodies carry people. */
export function createLogger(level: LogLevel, stream = openLogStream()): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
}
