import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TAG_REFUSED } from '#contract/tag-status.ts'
import { openDatabase } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { writeDocRow } from '../support/doc-table.ts'
import { makeStorage, type Storage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { KILLERS } from '../support/nasty-snippets.ts'
import { type SpawnedServer, spawnNode, spawnServer, untilReady } from '../support/spawn-server.ts'

let storage: Storage
let url: string
let server: SpawnedServer
beforeEach(async () => {
  storage = await makeStorage('sqlite')
})
afterEach(async () => {
  server.child.kill('SIGKILL')
  await server.ended
  await storage.remove()
})

/** The built server, whose compiler is a file beside its bundle. */
async function start(): Promise<void> {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  server = spawnServer({ PORT: String(port), DATA_DIR: storage.dataDir, LOG_LEVEL: 'error' })
  await untilReady(server, url)
}

/** How long each response of `/` took until the work is done. */
async function watchPage<T>(work: Promise<T>): Promise<{ result: T; times: number[] }> {
  const times: number[] = []
  let isOver = false
  const result = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const begun = performance.now()
    expect((await fetch(url)).status).toBe(200)
    times.push(Math.round(performance.now() - begun))
  }
  return { result: await result, times }
}

test('rows that once ended every start: the server listens, serves the other tags, and does so after a kill', async () => {
  const { db, close } = openDatabase(storage)
  await migrate(db)
  for (const code of Object.values(KILLERS)) await insertPixel(db, { type: 'custom', code })
  await insertPixel(db, { type: 'meta' })
  for (const _start of ['first', 'second']) {
    await start()
    await vi.waitFor(
      async () =>
        expect((await fetch(url)).headers.get('content-security-policy')).toContain('connect.facebook.net'),
      { timeout: 30_000, interval: 100 },
    )
    expect(server.child.exitCode).toBeNull()
    server.child.kill('SIGKILL')
    expect(await server.ended).toBe('SIGKILL')
  }
  const compiled = await db.selectFrom('compiled_tags').select('pixel_id').execute()
  expect(compiled.length).toBeGreaterThan(0)
  await close()
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B7b',
    'the three snippets are in the database before the start, and the process is killed after it',
    'the server listens first and serves the other tags, both times; what can be compiled is compiled afterwards',
    '`tests/process/nasty-tags.full.test.ts`',
  ])
})

test('compiles or refuses the hostile snippets on the built server, saved and previewed', async () => {
  await start()
  const command = spawnNode(['dist/server/admin.js', 'keys'], { DATA_DIR: storage.dataDir })
  await command.ended
  const key = command.output().trim().split('\n').at(-1) ?? ''
  const post = (path: string, body: object) =>
    fetch(url + path, {
      method: 'POST',
      headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (const [name, code] of Object.entries(KILLERS)) {
    for (const [what, path] of [
      ['saved', '/rest/v1/tracking_pixels'],
      ['previewed', '/admin/api/tags/preview'],
    ] as const) {
      const begun = performance.now()
      const { result, times } = await watchPage(
        post(path, { type: 'custom', code, pixel_id: null, ...(what === 'saved' ? { name } : {}) }),
      )
      const took = Math.round(performance.now() - begun)
      expect(result.status, `${name} ${what}`).toBe(what === 'previewed' ? 200 : result.ok ? 201 : 400)
      if (result.status === 400) expect(await result.json()).toMatchObject({ code: TAG_REFUSED })
      // Compiled in the event loop, the page would be answered only afterwards.
      expect(times.length, `${name} ${what}`).toBeGreaterThan(1)
      console.info(`${name}, ${what}: ${result.status} in ${took} ms; page meanwhile ${summarize(times)}`)
    }
  }
  expect(server.child.exitCode).toBeNull()
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B7a',
    'three snippets that crashed or blocked the process, saved with the service key and previewed',
    'compiled, or refused with 400 and the reason in Portuguese; `/` is answered meanwhile',
    '`tests/process/nasty-tags.full.test.ts`',
  ])
})

function summarize(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return `${times.length} answers, median ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${sorted.at(-1)} ms`
}
