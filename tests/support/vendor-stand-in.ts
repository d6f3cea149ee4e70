import { once } from 'node:events'
import { createServer as createProxy, type IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { generate } from 'selfsigned'
import { requestHandler } from './request-handler.ts'
import { writeAnswer } from './vendor-stand-ins/answer.ts'
import { toLibrary } from './vendor-stand-ins/library.ts'
import type { Answer, VendorRequest } from './vendor-stand-ins/stand-in.ts'
import { STAND_INS } from './vendor-stand-ins/stand-ins.ts'

interface VendorHit extends VendorRequest {
  /** For requests with an event: vendor, event and account. */
  heard: { vendor: string; event: string; account: string } | null
}

export interface VendorStandIn {
  certificate: { key: string; cert: string }
  /** For `launchBrowser`: every vendor's name leads here. */
  resolve: Record<string, string>
  /** For browsers without name mapping: a proxy behind which every host leads here. */
  proxy: string
  hits: VendorHit[]
  /** Requests as `host path`, unique and sorted. */
  seen(): string[]
  /** Requests without an answer of a stand-in: a wrong stand-in or tag. */
  strays(): string[]
  /** Serves a script, or never answers. */
  serve(address: string, script: string | 'never'): void
  clear(): void
  close(): Promise<void>
}

/** Hosts of no vendor: they accept everything. */
const STRANGERS = ['cdn.custom-vendor.com', 'evil.example.com']

/** One TLS server in place of every vendor. It records all requests. */
export async function startVendors(): Promise<VendorStandIn> {
  const certificate = await makeCertificate()
  const answers = readAnswers()
  const hosts = [...new Set([...answers.keys()].map((address) => address.split('/', 1)[0] ?? ''))]
  const hits: VendorHit[] = []
  const strays = new Set<string>()
  const note = (request: IncomingMessage, body: string): VendorHit => {
    const { hostname: host, pathname: path, searchParams: query } = addressOf(request)
    const received: VendorRequest = { host, path, query, method: request.method ?? '', body }
    const hit = { ...received, heard: hear(received) }
    hits.push(hit)
    return hit
  }
  const handle = requestHandler(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const hit = note(request, body)
    const answer = findAnswer(answers, hit.host + hit.path)
    if (answer === undefined && !STRANGERS.includes(hit.host)) strays.add(hit.host + hit.path)
    await writeAnswer(response, answer ?? '204', hit)
  })
  const server = createServer(certificate, handle)
  // Refused instead of ignored: Chromium opens sockets to a host one after the other, and all hosts are one here.
  server.on('upgrade', (request, socket) => {
    note(request, '')
    socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const proxy = createProxy().on('connect', (_request, client) => {
    const onward = connect(port, '127.0.0.1', () =>
      client.write('HTTP/1.1 200 Connection established\r\n\r\n'),
    )
    client.pipe(onward).pipe(client)
    for (const [end, other] of [
      [client, onward],
      [onward, client],
    ] as const)
      end.on('error', () => other.destroy())
  })
  // Tunnels are not closed with the server, and an ended browser may leave its own open.
  const tunnels = new Set<Socket>()
  proxy.on('connection', (socket) => {
    tunnels.add(socket)
    socket.once('close', () => tunnels.delete(socket))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    certificate,
    proxy: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    resolve: Object.fromEntries([...hosts, ...STRANGERS].map((name) => [name, `127.0.0.1:${port}`])),
    hits,
    seen: () => [...new Set(hits.map((hit) => hit.host + hit.path))].sort(),
    strays: () => [...strays],
    serve: (address, script) => void answers.set(address, script === 'never' ? script : { script }),
    clear: () => void hits.splice(0),
    close: async () => {
      for (const tunnel of tunnels) tunnel.destroy()
      server.closeAllConnections()
      for (const each of [proxy, server]) {
        each.close()
        await once(each, 'close')
      }
    },
  }
}

export async function makeCertificate(): Promise<VendorStandIn['certificate']> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'vendors' }], { keySize: 2048 })
  return { key, cert }
}

function readAnswers(): Map<string, Answer> {
  return new Map(
    STAND_INS.flatMap((standIn) =>
      Object.entries(standIn.answers).map(([address, answer]): [string, Answer] => [
        address,
        typeof answer === 'object' && 'script' in answer
          ? { script: toLibrary(answer.script, standIn) }
          : answer,
      ]),
    ),
  )
}

/** The exact address, or the longest prefix with a `*`. */
function findAnswer(answers: ReadonlyMap<string, Answer>, address: string): Answer | undefined {
  const exact = answers.get(address)
  if (exact !== undefined) return exact
  const [match] = [...answers.keys()]
    .filter((key) => key.endsWith('*') && address.startsWith(key.slice(0, -1)))
    .sort((a, b) => b.length - a.length)
  return match === undefined ? undefined : answers.get(match)
}

function hear(request: VendorRequest): VendorHit['heard'] {
  for (const { vendor, hear: hears } of STAND_INS) {
    const heard = hears(request)
    if (heard !== null) return { vendor, ...heard }
  }
  return null
}

function addressOf({ url = '/', headers }: IncomingMessage): URL {
  return new URL(url, `https://${headers.host}`)
}
