import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { AppError } from '../http/app-error.ts'
import type { Metrics } from './metrics.ts'

type MetricsConfig = NonNullable<Config['metrics']>

/** `/metrics` on the site's own port, for whoever has the token; with a port of its own it is there and nowhere else. */
export function registerMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  { host, metrics: config }: { host: string; metrics: MetricsConfig },
): void {
  if (config.port !== null) {
    listenApart(app, metrics, { host, port: config.port, token: config.token })
    return
  }
  app.get('/metrics', async (request, reply) => {
    if (!isAllowed(request.raw, config.token))
      throw new AppError(401, 'unauthorized', 'A bearer token is needed', {
        headers: { 'www-authenticate': 'Bearer' },
      })
    return reply
      .header('cache-control', 'no-store')
      .type(metrics.contentType)
      .send(await metrics.text())
  })
}

function listenApart(
  app: FastifyInstance,
  metrics: Metrics,
  { host, port, token }: { host: string; port: number; token: string | null },
): void {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end()
    if (!isAllowed(request, token)) return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    try {
      const text = await metrics.text()
      response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text)
    } catch {
      response.writeHead(500).end()
    }
  })
  app.addHook('onReady', async () => {
    server.listen(port, host)
    await once(server, 'listening')
  })
  app.addHook('onClose', async () => {
    server.closeAllConnections()
    server.close()
  })
}

/** Hashes have one length, so that the comparison takes the same time whatever was sent. */
function isAllowed({ headers }: IncomingMessage, token: string | null): boolean {
  if (token === null) return true
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}
