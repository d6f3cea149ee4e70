import type { FastPath } from './raw-server.ts'
import { refuse } from './refuse.ts'
import type { Headers } from './security-headers.ts'

/** No path answers a service worker: one that a tag registered would sit between the dashboard and the server. */
export function refuseServiceWorkers(headers: Headers): FastPath {
  return (request, response) => {
    const isWorker =
      request.headers['service-worker'] !== undefined ||
      request.headers['service-worker-navigation-preload'] !== undefined
    return isWorker && refuse(response, 403, headers)
  }
}
