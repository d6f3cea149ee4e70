import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { installNpmTool } from '../tests/support/install-npm-tool.ts'
import { pinned } from './processor.ts'
import { toolVersion } from './tool-version.ts'

export interface LoadRequest {
  url: string
  headers: Record<string, string>
}

export interface LoadOptions {
  seconds: number
  connections: number
  /** Sent in turn on each connection, instead of one GET of the address. */
  requests?: readonly LoadStep[]
}

export interface LoadStep {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

export interface Load {
  requests: number
  requestsPerSecond: number
  p99Milliseconds: number
}

/**
 * Requests as fast as responses come, on a fixed number of connections, for a fixed time. A failed request fails the
 * run.
 */
export async function measureLoad(target: LoadRequest, options: LoadOptions): Promise<Load> {
  const autocannon = join(installNpmTool('autocannon', toolVersion('autocannon')), 'autocannon.js')
  const [program = '', ...args] = pinned('client', [
    process.execPath,
    'bench/autocannon-process.ts',
    pathToFileURL(autocannon).href,
    JSON.stringify({
      url: target.url,
      headers: target.headers,
      connections: options.connections,
      duration: options.seconds,
      ...(options.requests === undefined ? {} : { requests: options.requests }),
    }),
  ])
  const { stdout } = await promisify(execFile)(program, args)
  const { failures, ...load } = JSON.parse(stdout) as Load & { failures: number }
  if (failures > 0) throw new Error(`${failures} of ${load.requests} requests to ${target.url} failed`)
  return load
}
