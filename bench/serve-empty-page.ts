import { createServer } from 'node:http'
import { freePort } from '../tests/support/free-port.ts'
import type { PageServer } from './page-server.ts'

const EMPTY =
  '<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Vazia</title></head><body><h1>Vazia</h1></body></html>'

/** The minimum: what this machine and browser need for an empty page. */
export async function serveEmptyPage(): Promise<PageServer> {
  const port = await freePort()
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(EMPTY)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    name: 'empty page',
    url: `http://127.0.0.1:${port}/`,
    pid: process.pid,
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
