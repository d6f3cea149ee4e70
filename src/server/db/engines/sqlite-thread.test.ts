import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeStorage, type Storage } from '#tests/support/engines.ts'
import { type Database, openDatabase, SQLITE_FILE } from '../database.ts'
import { DatabaseUnavailableError } from '../errors.ts'
import { migrate } from '../migrate.ts'

const secret = (name: string) => ({ name, value: 'x', created_at: new Date().toISOString() })
const DUPLICATE = 1555

let storage: Storage
let database: Database
beforeEach(async () => {
  storage = await makeStorage('sqlite')
  database = openDatabase(storage)
  await migrate(database.db)
})
afterEach(async () => {
  await database.close()
  await storage.remove()
})

const insert = (name: string) => database.db.insertInto('app_secrets').values(secret(name)).execute()
const names = async () => {
  const rows = await database.db.selectFrom('app_secrets').select('name').orderBy('name').execute()
  return rows.map((row) => row.name)
}

/** How often the event loop came round until the work was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let running = true
  const done = work.finally(() => {
    running = false
  })
  while (running) {
    await turn()
    turns++
  }
  await done
  return turns
}

describe('the event loop goes on', () => {
  test('while another process holds the lock, and so do reads; the write waits for its turn', async () => {
    const other = new DatabaseSync(join(storage.dataDir, SQLITE_FILE))
    other.exec('begin immediate')
    let written = false
    const write = insert('a').then(() => {
      written = true
    })
    for (let read = 0; read < 20; read++) expect(await names()).toEqual([])
    expect(written).toBe(false)
    other.exec('rollback')
    other.close()
    await write
    expect(await names()).toEqual(['a'])
  })

  test('while a statement takes its time', async () => {
    const slow = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select max(i) from n`
    expect(await turnsDuring(slow.execute(database.db))).toBeGreaterThan(100)
  })
})

describe('transactions', () => {
  test('are seen when they are committed, and hold up writes alone', async () => {
    const seen: string[][] = []
    let outside: Promise<unknown> = Promise.resolve()
    await database.db.transaction().execute(async (trx) => {
      await trx.insertInto('app_secrets').values(secret('a')).execute()
      outside = insert('b')
      seen.push(await names())
      expect(await trx.selectFrom('app_secrets').select('name').execute()).toHaveLength(1)
    })
    await outside
    seen.push(await names())
    expect(seen).toEqual([[], ['a', 'b']])
  })

  test('of many are run one after the other, and what one reads is still so when it writes', async () => {
    await insert('counter')
    const add = () =>
      database.db.transaction().execute(async (trx) => {
        const { value } = await trx.selectFrom('app_secrets').select('value').executeTakeFirstOrThrow()
        await trx
          .updateTable('app_secrets')
          .set({ value: `${value}x` })
          .execute()
      })
    await Promise.all(Array.from({ length: 50 }, add))
    const { value } = await database.db.selectFrom('app_secrets').select('value').executeTakeFirstOrThrow()
    expect(value).toHaveLength(51)
  })

  test('that fail give their own reason, also when SQLite has rolled back by itself', async () => {
    await sql`pragma max_page_count = 1`.execute(database.db)
    const work = database.db.transaction().execute(async (trx) => {
      await trx
        .insertInto('app_secrets')
        .values({ ...secret('a'), value: 'x'.repeat(1_000_000) })
        .execute()
    })
    await expect(work).rejects.toThrow('database or disk is full')
    await sql`pragma max_page_count = 1000000`.execute(database.db)
    await insert('b')
    expect(await names()).toEqual(['b'])
  })
})

test('a checkpoint waits for whoever reads elsewhere, so that what was erased leaves the log', async () => {
  await insert('a')
  const script = `
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(process.argv[1])
    database.exec('begin')
    database.prepare('select * from app_secrets').all()
    console.log('reads')
    setTimeout(() => database.exec('rollback'), 300)`
  const file = join(storage.dataDir, SQLITE_FILE)
  const reader = spawn(process.execPath, ['--input-type=module', '-e', script, file])
  const ended = once(reader, 'exit')
  await once(reader.stdout, 'data')
  await insert('b')
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(database.db)
  expect(rows[0]?.busy).toBe(0)
  expect(statSync(`${file}-wal`).size).toBe(0)
  await ended
})

test('what was written is read, every time', async () => {
  for (let count = 1; count <= 200; count++) {
    await insert(randomUUID())
    expect(await names()).toHaveLength(count)
  }
})

test('of writes that share a commit the one that fails fails alone, with SQLite’s own code', async () => {
  const wanted = Array.from({ length: 200 }, (_, index) => `name ${String(index % 199).padStart(3, '0')}`)
  const results = await Promise.allSettled(wanted.map(insert))
  const refused = results.filter((result) => result.status === 'rejected')
  expect(refused.map(({ reason }) => reason.errcode)).toEqual([DUPLICATE])
  expect(await names()).toHaveLength(199)
})

test('closing waits for what was asked before, and nothing can be asked after', async () => {
  const other = new DatabaseSync(join(storage.dataDir, SQLITE_FILE))
  other.exec('begin immediate')
  const writes = Array.from({ length: 50 }, (_, index) => insert(`name ${index}`))
  await names()
  const closed = database.close()
  other.exec('rollback')
  other.close()
  await Promise.all(writes)
  await closed
  await expect(insert('late')).rejects.toThrow()
  database = openDatabase(storage)
  expect(await names()).toHaveLength(50)
})

describe('a thread that dies', () => {
  async function endThread(): Promise<void> {
    const posts = vi.spyOn(Worker.prototype, 'postMessage')
    await names()
    const [thread] = posts.mock.contexts as Worker[]
    posts.mockRestore()
    await thread?.terminate()
  }

  test('fails what waits for it, and another takes its place', async () => {
    await insert('a')
    const other = new DatabaseSync(join(storage.dataDir, SQLITE_FILE))
    other.exec('begin immediate')
    const waiting = expect(insert('b')).rejects.toThrow(DatabaseUnavailableError)
    await endThread()
    await waiting
    other.close()
    await insert('c')
    expect(await names()).toEqual(['a', 'c'])
  })

  test('takes its open transaction with it, and nothing of it is written by the next', async () => {
    const work = database.db.transaction().execute(async (trx) => {
      await trx.insertInto('app_secrets').values(secret('a')).execute()
      await endThread()
      await trx.insertInto('app_secrets').values(secret('b')).execute()
    })
    await expect(work).rejects.toThrow('the transaction was lost')
    expect(await names()).toEqual([])
    await insert('c')
    expect(await names()).toEqual(['c'])
  })

  test('finds the same file again, or none', async () => {
    await insert('a')
    await endThread()
    rmSync(storage.dataDir, { recursive: true })
    await expect(insert('b')).rejects.toThrow('is no longer at')
    expect(existsSync(storage.dataDir)).toBe(false)
  })
})

describe('a file that is no longer under its path', () => {
  const file = () => join(storage.dataDir, SQLITE_FILE)

  test.each([
    ['the folder is removed', () => rmSync(storage.dataDir, { recursive: true })],
    ['the file is removed', () => rmSync(file())],
    ['its log is removed', () => rmSync(`${file()}-wal`)],
    [
      'another takes its place',
      () => {
        renameSync(file(), `${file()}.old`)
        new DatabaseSync(file()).exec('create table t (x text) strict')
      },
    ],
  ])('%s: no write is acknowledged', async (_what, happen) => {
    await insert('a')
    happen()
    await expect(insert('b')).rejects.toThrow('is no longer at')
    await expect(Promise.all([insert('c'), insert('d')])).rejects.toThrow('is no longer at')
    const transaction = database.db
      .transaction()
      .execute((trx) => trx.insertInto('app_secrets').values(secret('e')).execute())
    await expect(transaction).rejects.toThrow('is no longer at')
  })

  test('it comes back: so do the writes', async () => {
    await insert('a')
    const away = `${storage.dataDir}.away`
    renameSync(storage.dataDir, away)
    await expect(insert('b')).rejects.toThrow('is no longer at')
    renameSync(away, storage.dataDir)
    await insert('c')
    expect(await names()).toContain('c')
  })
})

test('every write that waits for a lock of another process is refused in the same time, however many wait', async () => {
  const other = new DatabaseSync(join(storage.dataDir, SQLITE_FILE))
  other.exec('begin immediate')
  const begun = performance.now()
  const waiting = Array.from({ length: 6 }, (_, index) => insert(`name ${index}`))
  for (const each of waiting) await expect(each).rejects.toThrow('locked')
  expect(performance.now() - begun).toBeLessThan(15_000)
  other.exec('rollback')
  other.close()
  await insert('free')
})
