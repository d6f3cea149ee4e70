import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createServer } from 'node:tls'

export interface TlsFront {
  port: number
  close(): Promise<void>
}

/** TLS in front of a plain server, like a proxy in production. */
export async function startTlsFront(
  certificate: { key: string; cert: string },
  /** Read on connection: the server behind may need this one's port before it starts. */
  target: () => number,
): Promise<TlsFront> {
  const sockets = new Set<Socket>()
  const server = createServer(certificate, (visitor) => {
    const upstream = connect(target(), '127.0.0.1')
    for (const [socket, other] of [
      [visitor, upstream],
      [upstream, visitor],
    ] as const) {
      sockets.add(socket)
      // A browser that exits leaves its connections open.
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    visitor.pipe(upstream).pipe(visitor)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
