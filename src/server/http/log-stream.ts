import { type DestinationStream, pino } from 'pino'

/** What waits for a full disk or a slow reader; past this, new lines are dropped. */
const BUFFER_BYTES = 1_000_000

/**
 * Standard output, written beside the requests and not between them. A full disk keeps lines back until there is room
 * again, a reader that has gone ends the log: neither ends or stops the process.
 */
export function openLogStream(dest: number | string = 1): DestinationStream {
  const stream = pino.destination({ dest, sync: false, maxLength: BUFFER_BYTES })
  stream.on('error', () => {})
  const flush = stream.flushSync.bind(stream)
  // Called as the process ends: lines that cannot be written any more must not turn a clean end into a crash.
  stream.flushSync = () => {
    try {
      flush()
    } catch {
      // There is nowhere left to say it.
    }
  }
  return stream
}
