import { constants, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'

/**
 * The same file, pipe, terminal or socket, on which a write fails at once where it would have to wait for a reader. A
 * pipe or a terminal is opened a second time, so that nobody who shares it is changed; a socket cannot be, and Node's own
 * stream makes the one there is so. Where neither can be done, the descriptor is given back as it is.
 */
export function openWithoutBlocking(fd: number): number {
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
