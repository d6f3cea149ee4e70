/** How much of the process strangers may hold by their connections alone. */
export interface ConnectionLimits {
  /** Past this, a connection's first request is answered with a 503. */
  total: number
  /** The same for one address; null behind a proxy, whose address everybody shares. */
  perAddress: number | null
  /** Then the connection is closed, with the answer that says so. */
  requestsPerSocket: number
  /** Requests sent before the answers to earlier ones were read; browsers and proxies send none. */
  pipelined: number
  /** How long a connection may stand still in the middle of a request or its answer. */
  stalledMs: number
}

const MOST_CONNECTIONS = 4_096
const MOST_PER_ADDRESS = 256

/** Half of the descriptors stay for files, the database, outgoing calls, and for answers that refuse. */
export function defaultConnectionLimits({ trustsProxy }: { trustsProxy: boolean }): ConnectionLimits {
  const total = Math.max(1, Math.min(MOST_CONNECTIONS, Math.floor(openFilesLimit() / 2)))
  return {
    total,
    perAddress: trustsProxy ? null : Math.max(1, Math.min(MOST_PER_ADDRESS, Math.floor(total / 2))),
    requestsPerSocket: 1_000,
    pipelined: 4,
    stalledMs: 30_000,
  }
}

interface Report {
  userLimits?: { open_files?: { soft?: number | 'unlimited' } }
}

/** Windows has no such limit, and its report says nothing of one. */
function openFilesLimit(): number {
  // Without this the report looks up the names of all peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { soft } = (process.report.getReport() as Report).userLimits?.open_files ?? {}
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
