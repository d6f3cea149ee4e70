import { createServer } from 'node:net'

/** Below the range from which systems take outgoing ports: there, a free port stays free. */
const LOWEST = 15_000
const PORTS_EACH = 1_000
const SHARES = 16

/** Each worker of a run has its own ports, so that none takes another one's. */
const share = Number(process.env.VITEST_POOL_ID ?? 0) % SHARES
/** Another run on the same machine starts elsewhere. */
let next = Math.floor(Math.random() * PORTS_EACH)

/** A free port that no other test of this run gets. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + share * PORTS_EACH + (next++ % PORTS_EACH)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
