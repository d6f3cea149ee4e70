import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requestHandler } from './request-handler.ts'

export interface UnprotectedCopy {
  url: string
  /** Of its database, since it is the same server. */
  target: string
  /** Hosts that its policy report endpoint accepted. */
  reportedHosts: string[]
  close(): Promise<void>
}

/** Headers with a protection, in either direction. */
const PROTECTIVE = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'permissions-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
  'cache-control',
]

/**
 * A naive dashboard: session in every storage, a cookie that scripts can read, a channel to other tabs, a named window,
 * and trust in everything it finds.
 */
const NAIVE_DASHBOARD = `<script>(() => {
  const { session, anonKey } = JSON.parse(document.getElementById('portico-boot').textContent)
  const planted = localStorage.getItem('supabase.auth.token')
  if (planted) {
    const authorization = 'Bearer ' + JSON.parse(planted).access_token
    fetch('/auth/v1/user', { headers: { authorization, apikey: anonKey } })
  }
  if (!session) return
  localStorage.setItem('session', session.access_token)
  sessionStorage.setItem('session', session.access_token)
  window.name = 'dashboard'
  const channel = new BroadcastChannel('supabase.auth.token')
  setInterval(() => channel.postMessage({ event: 'TOKEN_REFRESHED', session }), 100)
})()</script>`

interface UnprotectedCopyOptions {
  target: string
  anonKey: string
  /**
   * The page itself cannot call the services, as on the real server: an attack that reaches them has found another
   * document to call from.
   */
  keepsConnectSource?: boolean
}

/**
 * The same server without protections, for tests only: an attack that fails against the real one must succeed here, or
 * it proves nothing.
 */
export async function startUnprotectedCopy({
  target,
  anonKey,
  keepsConnectSource = false,
}: UnprotectedCopyOptions): Promise<UnprotectedCopy> {
  const reportedHosts: string[] = []
  const handle = requestHandler(async (incoming, outgoing) => {
    const body = await readAll(incoming)
    const path = resolveSpelling(incoming.url ?? '/')
    if (path === '/api/csp-report') {
      reportedHosts.push(new URL(JSON.parse(body.toString())['csp-report']['blocked-uri']).host)
      outgoing.writeHead(204).end()
      return
    }
    const headers = weaken(incoming.headers, { path, target, anonKey })
    const answer = await forward(target + path, incoming.method, headers, body)
    for (const name of PROTECTIVE) delete answer.headers[name]
    if (path === '/' && keepsConnectSource) {
      answer.headers['content-security-policy'] = `connect-src http://${incoming.headers.host}/api/`
    }
    if (path.startsWith('/auth/v1/token') && answer.status === 200) {
      const session = `session=${JSON.parse(answer.body.toString()).access_token}; Path=/`
      answer.headers['set-cookie'] = [...(answer.headers['set-cookie'] ?? []), session]
    }
    const isDashboard = path.startsWith('/admin') && answer.headers['content-type']?.startsWith('text/html')
    const sent = isDashboard
      ? answer.body.toString().replace('</body>', `${NAIVE_DASHBOARD}</body>`)
      : answer.body
    delete answer.headers['content-length']
    // An error with a text, as most servers write it: a document like any other.
    outgoing
      .writeHead(answer.status, answer.headers)
      .end(sent.length === 0 && answer.status > 299 ? 'error' : sent)
  })
  const server = createServer({ maxHeaderSize: 100_000 }, handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    target,
    reportedHosts,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Decodes and resolves a path first, like servers without a rule about spellings. */
function resolveSpelling(url: string): string {
  const [path = '/', ...query] = url.split('?')
  const { pathname } = new URL(decodeURIComponent(path), 'http://localhost')
  return [pathname, ...query].join('?')
}

/** The cookie alone opens every service, any body is JSON, and the origin is not checked. */
function weaken(
  headers: IncomingHttpHeaders,
  { path, target, anonKey }: { path: string; target: string; anonKey: string },
): IncomingHttpHeaders {
  const weak = { ...headers }
  for (const name of ['host', 'origin', 'accept-encoding', 'service-worker', 'sec-purpose', 'content-length'])
    delete weak[name]
  for (const name of Object.keys(weak).filter((each) => each.startsWith('sec-fetch-'))) delete weak[name]
  if (path.startsWith('/auth/')) {
    weak.origin = target
    weak['sec-fetch-site'] = 'same-origin'
  }
  if (path.startsWith('/admin')) {
    weak['sec-fetch-mode'] = 'navigate'
    weak['sec-fetch-dest'] = 'document'
  }
  const session = /(?:^|; )session=([^;]+)/.exec(headers.cookie ?? '')?.[1]
  if (session !== undefined && headers.authorization === undefined) {
    weak.authorization = `Bearer ${session}`
    weak.apikey = anonKey
  }
  if (path.startsWith('/rest/v1') && headers['content-type'] !== undefined) {
    weak['content-type'] = 'application/json'
  }
  return weak
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

function forward(
  url: string,
  method: string | undefined,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: { ...headers, 'content-length': String(body.length) },
    }
    const outgoing = request(url, options, (answer) => {
      const { connection: _, 'transfer-encoding': __, ...rest } = answer.headers
      const status = answer.statusCode ?? 500
      resolve(readAll(answer).then((body) => ({ status, headers: rest, body })))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}
