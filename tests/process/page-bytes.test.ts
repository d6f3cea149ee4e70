import { get } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { openDatabase } from '#server/db/database.ts'
import { compressText } from '#server/http/static/responses.ts'
import { makeStorage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { spawnNode, spawnServer, untilReady } from '../support/spawn-server.ts'

/** Bytes of the response. */
const bytesOf = (url: string, encoding: string) =>
  new Promise<Buffer>((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': encoding } }, (answer) => {
      expect(answer.statusCode).toBe(200)
      buffer(answer).then(resolve, reject)
    }).once('error', reject)
  })

test('the built server serves fully compressed pages, hashes passwords at full cost, and writes its counts', async () => {
  const storage = await makeStorage('sqlite')
  const port = await freePort()
  const url = `http://localhost:${port}`
  const server = spawnServer({ PORT: String(port), DATA_DIR: storage.dataDir, LOG_LEVEL: 'error' })
  onTestFinished(async () => {
    server.child.kill('SIGKILL')
    await server.ended
    await storage.remove()
  })
  await untilReady(server, url)

  const isSmallest = async (path: string) => {
    const [br, gzip] = await Promise.all([bytesOf(url + path, 'br'), bytesOf(url + path, 'gzip')])
    const text = brotliDecompressSync(br)
    expect(gunzipSync(gzip).equals(text)).toBe(true)
    const smallest = await compressText(text)
    return [br.length, gzip.length].join() === [smallest.br?.length, smallest.gzip?.length].join()
  }
  expect(await isSmallest('/')).toBe(true)
  expect(await isSmallest('/privacidade')).toBe(true)

  const command = spawnNode(['dist/server/admin.js', 'keys'], { DATA_DIR: storage.dataDir })
  await command.ended
  const key = command.output().trim().split('\n').at(-1) ?? ''
  const before = await bytesOf(url, 'identity')
  const saved = await fetch(`${url}/rest/v1/tracking_pixels`, {
    method: 'POST',
    headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Meta',
      type: 'meta',
      pixel_id: '482910377165024',
      code: generateSnippet('meta', '482910377165024'),
      is_active: true,
    }),
  })
  expect(saved.status).toBe(201)
  expect((await bytesOf(url, 'identity')).equals(before)).toBe(false)
  await expect.poll(() => isSmallest('/')).toBe(true)

  // Servers in a test process hash more cheaply.
  const { db, close } = openDatabase({ dataDir: storage.dataDir, databaseUrl: null })
  onTestFinished(close)
  const { password_hash } = await db
    .selectFrom('auth_users')
    .select('password_hash')
    .executeTakeFirstOrThrow()
  expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)

  // Counts are written regularly; servers in a test process do it more often.
  const counted = () =>
    db.selectFrom('rate_windows').select('count').where('key', 'like', '%csp-report%').execute()
  expect(await counted()).toEqual([])
  const report = { method: 'POST', headers: { 'content-type': 'application/csp-report' }, body: '{}' }
  expect((await fetch(`${url}/api/csp-report`, report)).status).toBe(204)
  await expect.poll(counted).not.toEqual([])
})
