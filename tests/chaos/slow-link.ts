import { createServer, Socket } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import type { Place } from './scenario.ts'

export interface SlowLink {
  port: number
  /** From here on a round trip takes a random time between the two. */
  delayBy(fromMs: number, toMs: number): void
}

/** A link to PostgreSQL that forwards everything in order, but late. */
export async function startSlowLink(place: Place, socketDirectory: string): Promise<SlowLink> {
  const sockets = new Set<Socket>()
  let range: [number, number] = [0, 0]
  const pass = (from: Socket, to: Socket) => {
    let last = Promise.resolve()
    const later = (work: () => void) => {
      const [least, most] = range
      const ms = (least + Math.random() * (most - least)) / 2
      const due = new Promise((resolve) => setTimeout(resolve, ms))
      last = Promise.all([last, due]).then(work)
    }
    from.on('data', (chunk) => later(() => void (to.writable && to.write(chunk))))
    from.on('end', () => later(() => to.end()))
    from.on('error', () => to.destroy())
    from.on('close', () => sockets.delete(from))
    sockets.add(from)
  }
  const server = createServer((client) => {
    const upstream = new Socket().connect(join(socketDirectory, '.s.PGSQL.5432'))
    pass(client, upstream)
    pass(upstream, client)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  place.atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port,
    delayBy: (fromMs, toMs) => {
      range = [fromMs, toMs]
    },
  }
}
