import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import type { FastPath } from './raw-server.ts'
import type { Headers } from './security-headers.ts'

const DASHBOARD_PATHS = /^\/(admin|auth|rest)(\/|\?|$)/
/** What both hosts answer: built files, and what a load balancer asks. */
const SHARED_PATHS = /^\/(assets\/|healthz|readyz)/

/** Refuses, before anything else looks at a request, what no part of the site may ever answer. */
export function createGate(config: Config, headers: Headers): FastPath {
  const adminHost = config.adminUrl === null ? null : new URL(config.adminUrl).host
  return (request, response) => {
    if (
      request.headers['service-worker'] !== undefined ||
      request.headers['service-worker-navigation-preload'] !== undefined
    ) {
      return refuse(response, 403, headers)
    }
    if (adminHost !== null && isWrongHost(request, adminHost)) return refuse(response, 404, headers)
    return false
  }
}

/** With a host of its own, the dashboard answers there alone, and nothing else does. */
function isWrongHost(request: IncomingMessage, adminHost: string): boolean {
  const url = request.url ?? ''
  if (SHARED_PATHS.test(url)) return false
  const onAdminHost = request.headers.host?.toLowerCase() === adminHost
  return onAdminHost !== DASHBOARD_PATHS.test(url)
}

function refuse(response: ServerResponse, status: number, headers: Headers): true {
  response.writeHead(status, { ...headers, 'cache-control': 'no-store', 'content-length': 0 })
  response.end()
  return true
}
