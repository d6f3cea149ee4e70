/**
 * `npm run dev`: Vite serves page and dashboard from their sources; everything else goes to the real server behind it,
 * which restarts when its code changes.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createVite, type ViteDevServer } from 'vite'
import { parseConfig, readEnvironment } from '../src/server/config.ts'
import { buildAll } from './build-all.ts'
import { isBuildFresh } from './build-stamp.ts'
import { renderAdminFromSource, renderPageFromSource } from './dev-pages.ts'
import { forward } from './dev-proxy.ts'

const config = parseConfig(readEnvironment())
const backendPort = await portOfTheSystem()

// The server reads names of built files at start, so there must be a build, even an old one.
if (!isBuildFresh()) await buildAll()

const server = createServer((request, response) => {
  vite.middlewares(request, response, () => {
    answer(request, response).catch((error: Error) => {
      vite.ssrFixStacktrace(error)
      console.error(error)
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' })
      response.end(`O servidor ainda não responde: ${error.message}\n`)
    })
  })
})
const vite: ViteDevServer = await createVite({
  server: { middlewareMode: true, hmr: { server } },
  appType: 'custom',
})
// What React renders on the server is not in the browser's module graph, so the browser reloads.
vite.watcher.on('change', (file) => {
  if (/\/src\/(landing|contract|design)\//.test(file) && !file.endsWith('.css'))
    vite.ws.send({ type: 'full-reload' })
})

const backend = spawn(process.execPath, ['--watch', '--watch-preserve-output', 'src/server/serve.ts'], {
  stdio: 'inherit',
  env: { ...process.env, PORT: String(backendPort), SITE_URL: config.siteUrl },
})
server.listen(config.port, config.host, () => {
  console.log(`Desenvolvimento em http://localhost:${config.port} (servidor na porta ${backendPort})`)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    const ended = backend.kill(signal) ? once(backend, 'exit') : null
    server.closeAllConnections()
    server.close()
    // Data directory and ports are free afterwards.
    await Promise.all([vite.close(), ended])
    process.exit(0)
  })
}

/** The next port may be used by another program, and waiting for it would never end. */
async function portOfTheSystem(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname
  const page = request.method === 'GET' ? await renderPageFromSource(vite, config, path) : null
  if (page !== null) {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
    return
  }
  const isDashboard = request.method === 'GET' && /^\/admin(\/(?!api\/)|$)/.test(path)
  await forward(
    request,
    response,
    backendPort,
    isDashboard ? (html) => renderAdminFromSource(vite, html, path) : null,
  )
}
