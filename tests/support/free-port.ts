import { createServer } from 'node:net'

/** Below the ports from which systems take the near ends of connections: there, a free one is free a moment later too. */
const LOWEST = 15_000
const HIGHEST = 32_000

/** A port that nobody listens on, of a random place: several processes choose at once. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
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
