import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/**
 * An asynchronous handler for a server of the tests. A caller that leaves in the middle of its request, such as a
 * browser that quits, makes it fail: that error is dropped. Every other one fails the run.
 */
export function requestHandler(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>,
): RequestListener {
  return (request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.destroyed) throw error
    })
  }
}
