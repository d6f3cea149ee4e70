import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createProxy, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { generate } from 'selfsigned'

/** What came in over TLS, whoever it was meant for. */
export interface Received {
  host: string
  path: string
  headers: Record<string, string | string[] | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
  body: any
}

type Reply = { status: number; body?: string; headers?: Record<string, string> } | 'reset' | 'hang'

export interface VendorApis {
  /** For `HTTPS_PROXY`. */
  proxyUrl: string
  /** For `NODE_EXTRA_CA_CERTS` of another process. */
  certificate: string
  received: Received[]
  /** Hosts that a connection was asked for: the witness that nothing else left. */
  tunnels: string[]
  /** Answers in the vendor's place; undefined leaves it to the stand-in. */
  answer: (request: Received) => Reply | undefined
  /** The proxy refuses to connect. */
  isDown: boolean
  /** Connections are used again, as vendors have it. Else each is for one request, so that `isDown` is noticed by the next. */
  keepsConnections: boolean
  /** How long each takes to answer. */
  answersAfterMs: number
  close(): Promise<void>
}

const HOSTS = ['graph.facebook.com', 'www.google-analytics.com', 'hooks.exemplo.com.br']

/**
 * Meta's Conversions API, Google's Measurement Protocol and a webhook behind a proxy and a certificate of their own. Trusted
 * by this process from here on.
 */
export async function startVendorApis(): Promise<VendorApis> {
  // A name of its own: of two that are trusted under one name, only one is looked at.
  const name = `Portico tests ${randomUUID()}`
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: HOSTS.map((value) => ({ type: 2, value })) },
    ],
  })
  setDefaultCACertificates([...getCACertificates('default'), cert])
  const apis: VendorApis = {
    proxyUrl: '',
    certificate: cert,
    received: [],
    tunnels: [],
    answer: () => undefined,
    isDown: false,
    keepsConnections: false,
    answersAfterMs: 0,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      vendors.close()
    },
  }
  const sockets = new Set<Socket>()
  const vendors = createServer({ key, cert }, (request, response) => void serve(apis, request, response))
  vendors.listen(0, '127.0.0.1')
  await once(vendors, 'listening')
  const proxy = createProxy()
  proxy.on('connect', (request: IncomingMessage, visitor: Socket) => {
    apis.tunnels.push(request.url ?? '')
    if (apis.isDown) return visitor.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const upstream = connect((vendors.address() as AddressInfo).port, '127.0.0.1', () => {
      visitor.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.pipe(visitor).pipe(upstream)
    })
    for (const [socket, other] of [
      [visitor, upstream],
      [upstream, visitor],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  apis.proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return apis
}

async function serve(apis: VendorApis, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = ''
  for await (const chunk of request) text += chunk
  const received: Received = {
    host: request.headers.host ?? '',
    path: request.url ?? '',
    headers: request.headers,
    text,
    body: text === '' ? null : JSON.parse(text),
  }
  apis.received.push(received)
  const reply = apis.answer(received) ?? standIn(received)
  if (reply === 'hang') return
  if (reply === 'reset') return void request.socket.destroy()
  if (apis.answersAfterMs > 0) await sleep(apis.answersAfterMs)
  const connection = apis.keepsConnections ? 'keep-alive' : 'close'
  response.writeHead(reply.status, { connection, ...reply.headers }).end(reply.body)
}

/** As section 9 of the fact sheet says. */
function standIn({ host, path, headers, body }: Received): Reply {
  if (host === 'www.google-analytics.com')
    return path.startsWith('/debug/') ? { status: 200, body: '{"validationMessages":[]}' } : { status: 204 }
  if (host !== 'graph.facebook.com') return { status: 200 }
  if (!headers.authorization) return metaError(400, { code: 104 })
  if (!String(headers.authorization).includes('good')) return metaError(401, { code: 190 })
  const now = Date.now() / 1000
  for (const event of body.data) {
    if (event.event_time < now - 7 * 86_400) return metaError(400, { code: 100, error_subcode: 2804003 })
    if (!event.user_data?.fbp && !event.user_data?.external_id)
      return metaError(400, { code: 100, error_subcode: 2804050 })
  }
  return {
    status: 200,
    body: JSON.stringify({ events_received: body.data.length, messages: [], fbtrace_id: 'A'.repeat(23) }),
  }
}

export function metaError(
  status: number,
  error: { code: number; error_subcode?: number; is_transient?: boolean },
  headers: Record<string, string> = {},
): Reply {
  return {
    status,
    headers,
    body: JSON.stringify({
      error: { message: 'Localisé', type: 'OAuthException', fbtrace_id: 'A', ...error },
    }),
  }
}
