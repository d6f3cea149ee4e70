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

const secret = (name: string) => ({ name, value: 'x', created_at: new Date().toISOString() })
const DUPLICATE = 1555

let storage: Storage
let database: Database
beforeEach(async () => {
  storage = await makeStorage('sqlite', { isMigrated: true })
  database = openDatabase(storage)
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

/** How often the event loop turned until the work was done. */
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

describe('the event loop continues', () => {
  test('while another process holds the lock, and so do reads; the write waits', async () => {
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

  test('during a slow statement', async () => {
    const slow = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select max(i) from n`
    expect(await turnsDuring(slow.execute(database.db))).toBeGreaterThan(100)
  })
})

describe('transactions', () => {
  test('are visible after the commit, and block only writes', async () => {
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

  test('run one after the other, and what one reads is unchanged when it writes', async () => {
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

  test('that fail throw their own error, also when SQLite has rolled back by itself', async () => {
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

test('a checkpoint waits for readers, so that erased data leaves the log', async () => {
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

test('reads what was written, every time', async () => {
  for (let count = 1; count <= 200; count++) {
    await insert(randomUUID())
    expect(await names()).toHaveLength(count)
  }
})

test('a failing write in a shared commit fails alone, with SQLite’s code', async () => {
  const wanted = Array.from({ length: 200 }, (_, index) => `name ${String(index % 199).padStart(3, '0')}`)
  const results = await Promise.allSettled(wanted.map(insert))
  const refused = results.filter((result) => result.status === 'rejected')
  expect(refused.map(({ reason }) => reason.errcode)).toEqual([DUPLICATE])
  expect(await names()).toHaveLength(199)
})

test('closing waits for earlier calls, and later ones are refused', async () => {
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

describe('a crashed thread', () => {
  async function endThread(): Promise<void> {
    const posts = vi.spyOn(Worker.prototype, 'postMessage')
    await names()
    const [thread] = posts.mock.contexts as Worker[]
    posts.mockRestore()
    await thread?.terminate()
  }

  test('rejects waiting calls, and a new thread replaces it', async () => {
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

  test('loses its open transaction, and the next thread writes nothing of it', async () => {
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

  test('opens the same file again, or none', async () => {
    await insert('a')
    await endThread()
    rmSync(storage.dataDir, { recursive: true })
    await expect(insert('b')).rejects.toThrow('is no longer at')
    expect(existsSync(storage.dataDir)).toBe(false)
  })
})

describe('a file that is no longer at its path', () => {
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
  ])('%s: acknowledges no write', async (_what, happen) => {
    await insert('a')
    happen()
    await expect(insert('b')).rejects.toThrow('is no longer at')
    await expect(Promise.all([insert('c'), insert('d')])).rejects.toThrow('is no longer at')
    const transaction = database.db
      .transaction()
      .execute((trx) => trx.insertInto('app_secrets').values(secret('e')).execute())
    await expect(transaction).rejects.toThrow('is no longer at')
  })

  test('accepts writes again when the file is back', async () => {
    await insert('a')
    const away = `${storage.dataDir}.away`
    renameSync(storage.dataDir, away)
    await expect(insert('b')).rejects.toThrow('is no longer at')
    renameSync(away, storage.dataDir)
    await insert('c')
    expect(await names()).toContain('c')
  })
})
