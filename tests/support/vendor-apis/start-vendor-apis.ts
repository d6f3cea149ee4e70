import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer as createProxy, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { pathToFileURL } from 'node:url'
import { generate } from 'selfsigned'
import { requestHandler } from '../request-handler.ts'

/** What arrived over TLS, for any host. */
export interface Received {
  host: string
  path: string
  headers: Record<string, string | string[] | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
  body: any
}

export type Reply = { status: number; body?: string; headers?: Record<string, string> } | 'reset' | 'hang'

export interface VendorApis {
  /** For `HTTPS_PROXY`. */
  proxyUrl: string
  /** For `NODE_EXTRA_CA_CERTS` of another process. */
  certificate: string
  received: Received[]
  /** How many requests arrived. */
  count: number
  /** `false` leaves `received` empty: an hour of requests does not fit into memory. */
  keepsRequests: boolean
  /** Hosts that a connection was requested for: shows that nothing else left. */
  tunnels: string[]
  /** Overrides the vendor's answer; undefined leaves it to the stand-in. */
  answer: (request: Received) => Reply | undefined
  /** The proxy refuses to connect. */
  isDown: boolean
  /** Keeps connections alive, like vendors. Else each is for one request, so that the next one notices `isDown`. */
  keepsConnections: boolean
  /** How long each takes to answer. */
  answersAfterMs: number
  close(): Promise<void>
}

/** A vendor's API that answers like the vendor. Each file of this folder that exports one as `standIn` is found by itself. */
export interface VendorApi {
  hosts: readonly string[]
  answer(request: Received): Reply
}

async function readStandIns(): Promise<VendorApi[]> {
  const files = readdirSync(import.meta.dirname).filter((file) => !file.startsWith('start-'))
  const modules = await Promise.all(
    files.map((file) => import(pathToFileURL(join(import.meta.dirname, file)).href)),
  )
  return modules.map(({ standIn }) => standIn as VendorApi)
}

/** Every vendor's stand-in behind a proxy with its own certificate, which this process trusts from here on. */
export async function startVendorApis(): Promise<VendorApis> {
  const standIns = await readStandIns()
  // A unique name: of two trusted certificates with one name, only one is used.
  const name = `Portico tests ${randomUUID()}`
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: standIns.flatMap(({ hosts }) => hosts).map((value) => ({ type: 2, value })),
      },
    ],
  })
  setDefaultCACertificates([...getCACertificates('default'), cert])
  const apis: VendorApis = {
    proxyUrl: '',
    certificate: cert,
    received: [],
    count: 0,
    keepsRequests: true,
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
  const vendors = createServer(
    { key, cert },
    requestHandler((request, response) => serve(apis, standIns, request, response)),
  )
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

async function serve(
  apis: VendorApis,
  standIns: readonly VendorApi[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let text = ''
  for await (const chunk of request) text += chunk
  const received: Received = {
    host: request.headers.host ?? '',
    path: request.url ?? '',
    headers: request.headers,
    text,
    body: isForm(request)
      ? Object.fromEntries(new URLSearchParams(text))
      : text === ''
        ? null
        : JSON.parse(text),
  }
  apis.count++
  if (apis.keepsRequests) apis.received.push(received)
  const standIn = standIns.find(({ hosts }) => hosts.includes(received.host))
  const reply = apis.answer(received) ?? standIn?.answer(received) ?? { status: 502 }
  if (reply === 'hang') return
  if (reply === 'reset') return void request.socket.destroy()
  if (apis.answersAfterMs > 0) await sleep(apis.answersAfterMs)
  const connection = apis.keepsConnections ? 'keep-alive' : 'close'
  response.writeHead(reply.status, { connection, ...reply.headers }).end(reply.body)
}

function isForm({ headers }: IncomingMessage): boolean {
  return headers['content-type'] === 'application/x-www-form-urlencoded'
}
