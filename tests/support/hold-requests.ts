import type { RequestListener, Server } from 'node:http'

/** Holds responses back whose path matches, until they are released. */
export function holdRequests(server: Server, path: RegExp): { hold(): void; release(): void } {
  const listeners = server.listeners('request') as RequestListener[]
  const waiting: (() => void)[] = []
  let holding = false
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const go = () => {
      for (const listener of listeners) listener.call(server, request, response)
    }
    if (holding && path.test(request.url ?? '')) waiting.push(go)
    else go()
  })
  return {
    hold: () => {
      holding = true
    },
    release: () => {
      holding = false
      for (const go of waiting.splice(0)) go()
    },
  }
}
