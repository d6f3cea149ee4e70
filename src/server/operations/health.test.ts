import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { SQLITE_FILE } from '../db/database.ts'

let site: TestApp
beforeEach(async () => {
  site = await startTestApp({ listen: true })
})
afterEach(() => site.close())

const statusOf = async (path: string) => (await fetch(site.url + path)).status
const subscribe = (index: number) =>
  fetch(`${site.url}/api/newsletter`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `pessoa${index}@exemplo.com.br` }),
  })
const becomes = (status: number) => expect.poll(() => statusOf('/readyz'), { timeout: 30_000 }).toBe(status)

describe('a database that accepts no writes', () => {
  const file = () => join(site.config.dataDir, SQLITE_FILE)
  test.each([
    ['the folder was removed', () => rmSync(site.config.dataDir, { recursive: true })],
    ['the file was removed', () => rmSync(file())],
    [
      'another file took its place',
      () => {
        renameSync(file(), `${file()}.old`)
        new DatabaseSync(file()).exec('create table t (x text) strict')
      },
    ],
    ['it is read-only', () => sql`pragma query_only = on`.execute(site.database.db)],
  ])('%s: is not ready, acknowledges nothing, and still serves the page', async (_what, happen) => {
    expect(await statusOf('/readyz')).toBe(200)
    await happen()
    await becomes(503)
    for (let index = 0; index < 5; index++) {
      const answer = await subscribe(index)
      expect(answer.status).toBe(503)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await answer.json()).toEqual({ message: expect.any(String) })
    }
    expect(await statusOf('/')).toBe(200)
    expect(await statusOf('/healthz')).toBe(200)
    expect(await statusOf('/readyz/serve')).toBe(200)
  })

  test('does not ask clients to retry with a damaged file', async () => {
    expect((await subscribe(0)).status).toBe(200)
    await sql`pragma wal_checkpoint(truncate)`.execute(site.database.db)
    // The page cache must not hide the damage.
    await sql`pragma shrink_memory`.execute(site.database.db)
    const size = statSync(file()).size
    writeFileSync(file(), Buffer.alloc(size, 0xaa), { flag: 'r+' })
    await becomes(503)
    const answer = await subscribe(1)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([500, null])
    expect(await statusOf('/')).toBe(200)
    expect(await statusOf('/readyz/serve')).toBe(200)
  })

  test('is ready again when writes are accepted', async () => {
    await sql`pragma query_only = on`.execute(site.database.db)
    await becomes(503)
    await sql`pragma query_only = off`.execute(site.database.db)
    await becomes(200)
    expect((await subscribe(1)).status).toBe(200)
  })

  test('reports a long lock of another process in time, with one check', async () => {
    const other = new DatabaseSync(file())
    other.exec('begin immediate')
    const answers = await Promise.all(Array.from({ length: 20 }, () => statusOf('/readyz')))
    expect(new Set(answers)).toEqual(new Set([503]))
    expect(await statusOf('/')).toBe(200)
    other.exec('rollback')
    other.close()
    await becomes(200)
  })
})
