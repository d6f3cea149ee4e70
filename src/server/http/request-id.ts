import type { IncomingMessage } from 'node:http'

const PASSED_ON = /^[\w.-]{8,64}$/

/** The id that a trusted proxy gave a request, when it has the form of one; null for whatever else came in its place. */
export function passedRequestId(
  { headers }: Pick<IncomingMessage, 'headers'>,
  trustsProxy: boolean,
): string | null {
  const id = headers['x-request-id']
  return trustsProxy && typeof id === 'string' && PASSED_ON.test(id) ? id : null
}
