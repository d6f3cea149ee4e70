import { expect, test } from 'vitest'
import { makeStorage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { spawnServer, untilReady } from '../support/spawn-server.ts'

test('logs one JSON object per line, with a request id, and without query, key, token or email', async () => {
  const storage = await makeStorage('sqlite')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = spawnServer({ PORT: String(port), DATA_DIR: storage.dataDir, LOG_LEVEL: 'debug' })
  await untilReady(server, url)
  await fetch(`${url}/nothing?token=s3cret&email=ana@exemplo.com.br`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer s3cret',
      apikey: 's3cret',
      cookie: 'a=s3cret',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ email: 'ana@exemplo.com.br', password: 's3cret' }),
  })
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  const logs = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  expect(logs).toContainEqual(
    expect.objectContaining({ method: 'POST', path: '/nothing', status: 404, requestId: expect.any(String) }),
  )
  expect(JSON.stringify(logs)).not.toMatch(/s3cret|ana@exemplo/)
  await storage.remove()
})
