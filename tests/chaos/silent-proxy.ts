import { createServer, Socket } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import type { Place } from './scenario.ts'

export interface SilentProxy {
  port: number
  /**
   * From here on nothing is forwarded in either direction, without notice; new connections are accepted and ignored.
   */
  fallSilent(): void
  /** New connections work again. The old ones stay dead, as after a move to another host. */
  speakAgain(): void
}

/** A link to PostgreSQL that can be cut silently: no reset, no end, no refusal. */
export async function startSilentProxy(place: Place, socketDirectory: string): Promise<SilentProxy> {
  const pairs = new Set<[Socket, Socket]>()
  const kept = new Set<Socket>()
  let isSilent = false
  const server = createServer((client) => {
    kept.add(client)
    client.on('error', () => {})
    if (isSilent) return
    const upstream = new Socket().connect(join(socketDirectory, '.s.PGSQL.5432'))
    upstream.on('error', () => client.destroy())
    kept.add(upstream)
    client.pipe(upstream)
    upstream.pipe(client)
    pairs.add([client, upstream])
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  place.atEnd(() => {
    for (const socket of kept) socket.destroy()
    server.close()
  })
  return {
    port,
    fallSilent: () => {
      isSilent = true
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause()
        upstream.unpipe(client).pause()
      }
      pairs.clear()
    },
    speakAgain: () => {
      isSilent = false
    },
  }
}
