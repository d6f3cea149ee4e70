import { createServer, type Server } from 'node:net'

/** Below the range from which systems take outgoing ports: there, a free port stays free. */
const LOWEST = 15_000
const BLOCKS = 160
const PORTS_EACH = 100

let block: Promise<number> | undefined
let taken = 0

/** A free port that no other test gets, neither of this run nor of another one on the same machine. */
export async function freePort(): Promise<number> {
  block ??= claimBlock()
  const first = await block
  for (;;) {
    const port = first + 1 + (taken++ % (PORTS_EACH - 1))
    const server = await listenOn(port)
    if (server === null) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}

/** The first port of a block of ports. It stays taken, so that the others belong to this process until it ends. */
async function claimBlock(): Promise<number> {
  for (;;) {
    const first = LOWEST + PORTS_EACH * Math.floor(Math.random() * BLOCKS)
    const server = await listenOn(first)
    server?.unref()
    if (server !== null) return first
  }
}

/** Null if the port is taken. */
function listenOn(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
