import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

export interface LoadRequest {
  url: string
  headers: Record<string, string>
}

interface LoadOptions {
  seconds: number
  connections: number
}

export interface Load {
  requests: number
  requestsPerSecond: number
  p99Milliseconds: number
}

/**
 * Asks as fast as the answers come, on a fixed number of connections, for a fixed time. It speaks plain sockets: on a
 * small machine a full HTTP client would spend more than the servers that it measures.
 */
export async function measureLoad(target: LoadRequest, { seconds, connections }: LoadOptions): Promise<Load> {
  const times: number[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  await Promise.all(Array.from({ length: connections }, () => askUntil(end, target, times)))
  const elapsed = (performance.now() - start) / 1000
  times.sort((a, b) => a - b)
  return {
    requests: times.length,
    requestsPerSecond: times.length / elapsed,
    p99Milliseconds: times[Math.floor(times.length * 0.99)] ?? 0,
  }
}

function askUntil(end: number, { url, headers }: LoadRequest, times: number[]): Promise<void> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`)
  const message = Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let sentAt = 0
    let missing = 0
    const ask = () => {
      if (performance.now() >= end) return void socket.end(() => resolve())
      sentAt = performance.now()
      socket.write(message)
    }
    socket.on('connect', ask)
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      missing = missing > 0 ? missing - chunk.length : bodyBytesAfter(chunk)
      if (missing > 0) return
      times.push(performance.now() - sentAt)
      ask()
    })
  })
}

/** What is still to come of an answer that begins with this chunk; its head is in it whole. */
function bodyBytesAfter(chunk: Buffer): number {
  const headEnd = chunk.indexOf('\r\n\r\n')
  const head = chunk.toString('latin1', 0, headEnd)
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`answered ${head.split('\r\n', 1)[0]}`)
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1])
  return length - (chunk.length - headEnd - 4)
}

/** What the process holds in memory now, as the kernel counts it. */
export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000
}

/** What the process has spent so far, on all its threads. The kernel counts in hundredths of a second. */
export function processorMilliseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
