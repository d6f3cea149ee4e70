import { once } from 'node:events'
import { createServer as createProxy } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { generate } from 'selfsigned'
import { VENDOR_SCRIPTS } from './vendor-scripts.ts'

interface VendorHit {
  host: string
  path: string
  query: URLSearchParams
  method: string
  body: string
}

export interface VendorStandIn {
  /** For `launchBrowser`: every vendor's name leads here. */
  resolve: Record<string, string>
  /** For browsers that map no names: a proxy behind which every host leads here. */
  proxy: string
  hits: VendorHit[]
  /** Hits as `host path`, without repetition, sorted. */
  seen(): string[]
  /** Serves a script, or hangs up without an answer. */
  serve(address: string, script: string | 'hang'): void
  clear(): void
  close(): Promise<void>
}

const VENDOR_NAMES = [
  'connect.facebook.net',
  'www.facebook.com',
  'www.googletagmanager.com',
  'www.google-analytics.com',
  'unlisted.vendor-cdn.com',
  'cdn.custom-vendor.com',
  'evil.example.com',
]

/** One TLS server in the place of every vendor. It writes down all that it is sent. */
export async function startVendors(): Promise<VendorStandIn> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'vendors' }], { keySize: 2048 })
  const scripts = new Map<string, string>(Object.entries(VENDOR_SCRIPTS))
  const hits: VendorHit[] = []
  const server = createServer({ key, cert }, async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const host = request.headers.host ?? ''
    const url = new URL(request.url ?? '/', `https://${host}`)
    hits.push({ host, path: url.pathname, query: url.searchParams, method: request.method ?? '', body })
    const script = scripts.get(host + url.pathname)
    if (script === 'hang') return
    response.setHeader('access-control-allow-origin', '*')
    if (script === undefined) response.writeHead(204).end()
    else response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
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
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    proxy: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    resolve: Object.fromEntries(VENDOR_NAMES.map((name) => [name, `127.0.0.1:${port}`])),
    hits,
    seen: () => [...new Set(hits.map((hit) => hit.host + hit.path))].sort(),
    serve: (address, script) => void scripts.set(address, script),
    clear: () => void hits.splice(0),
    close: async () => {
      server.closeAllConnections()
      for (const each of [proxy, server]) {
        each.close()
        await once(each, 'close')
      }
    },
  }
}
