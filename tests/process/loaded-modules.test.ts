import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '#tests/support/free-port.ts'
import { spawnNode, untilReady } from '#tests/support/spawn-server.ts'

/** Threads load it too. */
const PRINT_MODULES = `data:text/javascript,import { isMainThread } from 'node:worker_threads';
if (isMainThread) process.on('exit', () => console.log(JSON.stringify({ modules: process.moduleLoadList })))`

test('an idle server has neither loaded HTTP/2 nor the HTTP client of Node', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-modules-'))
  const port = String(await freePort())
  const server = spawnNode(['--import', PRINT_MODULES, 'dist/server/serve.js'], {
    PORT: port,
    DATA_DIR: directory,
  })
  try {
    await untilReady(server, `http://localhost:${port}`)
    server.child.kill('SIGTERM')
    await server.ended
    const [, list = '[]'] = /^\{"modules":(\[.*\])\}$/m.exec(server.output()) ?? []
    const modules = JSON.parse(list) as string[]
    expect(modules).toContain('NativeModule _http_server')
    expect(modules.filter((name) => /http2|undici/.test(name))).toEqual([])
  } finally {
    server.child.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }
})
