import { expect, test } from 'vitest'
import { makeStorage } from '../support/engines.ts'
import { findPostgres } from '../support/find-postgres.ts'
import { freePort } from '../support/free-port.ts'
import { spawnServer, untilReady } from '../support/spawn-server.ts'
import { startPostgres } from '../support/start-postgres.ts'

test('when PostgreSQL restarts, the server says so, keeps serving the page and finds its way back', async () => {
  const postgres = await startPostgres(findPostgres())
  const storage = await makeStorage('postgres')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = spawnServer({
    ...storage.env,
    PORT: String(port),
    DATABASE_URL: `postgres://postgres@/postgres?host=${postgres.socketDirectory}`,
  })
  try {
    await untilReady(server, url)
    await postgres.whileDown(async () => {
      expect((await fetch(`${url}/readyz`)).status).toBe(503)
      expect((await fetch(url)).status).toBe(200)
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
    })
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 10_000 }).toBe(200)
  } finally {
    server.child.kill('SIGTERM')
    await server.ended
    await postgres.stop()
    await storage.remove()
  }
})
