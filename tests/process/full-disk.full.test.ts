import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { spawnServer, untilReady } from '../support/spawn-server.ts'

const DISK_BYTES = 4_000_000

/** A separate file system for the server's data, visible to that process only. */
const ON_A_SMALL_DISK = ['unshare', '--map-root-user', '--mount', 'sh', '-c']

/** Writes until the disk is full: the server writes too, so the free space keeps changing. */
function fillUp(filler: string) {
  const block = Buffer.alloc(4096)
  try {
    for (let written = 0; written <= DISK_BYTES; written += block.length) appendFileSync(filler, block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
    throw error
  }
  throw new Error('the disk took more than its size')
}

test('a full disk: is not ready, acknowledges nothing, serves the page, and recovers with free space', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-test-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const mount = `mount -t tmpfs -o size=${DISK_BYTES} tmpfs "$DATA_DIR" && exec "$0" "$@"`
  const server = spawnServer({ PORT: String(port), DATA_DIR: dataDir }, [...ON_A_SMALL_DISK, mount])
  const statusOf = async (path: string) => (await fetch(url + path)).status
  let count = 0
  const subscribe = async () => {
    const answer = await fetch(`${url}/api/newsletter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' },
      body: JSON.stringify({ email: `pessoa${count++}@exemplo.com.br` }),
    })
    return answer.status
  }
  try {
    await untilReady(server, url)
    expect(await subscribe()).toBe(200)
    // The path into that process's view of the file system.
    const disk = join('/proc', String(server.child.pid), 'root', dataDir)
    const filler = join(disk, 'filler')
    fillUp(filler)
    await expect.poll(() => statusOf('/readyz'), { timeout: 30_000 }).toBe(503)
    expect(await subscribe()).toBe(503)
    expect(await statusOf('/')).toBe(200)
    rmSync(filler)
    await expect.poll(() => statusOf('/readyz'), { timeout: 30_000 }).toBe(200)
    expect(await subscribe()).toBe(200)
  } finally {
    server.child.kill('SIGTERM')
    await server.ended
    rmSync(dataDir, { recursive: true, force: true })
  }
})
