import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeStorage, type Storage } from '#tests/support/engines.ts'
import { type Database, openDatabase, SQLITE_FILE } from '../database.ts'
import { migrate } from '../migrate.ts'

const WAL_HEADER = 32
const FRAME_HEADER = 24

let storage: Storage
let database: Database
beforeEach(async () => {
  storage = await makeStorage('sqlite')
  database = openDatabase(storage)
  await migrate(database.db)
  await sql`pragma wal_checkpoint(truncate)`.execute(database.db)
})
afterEach(async () => {
  await database.close()
  await storage.remove()
})

const row = (name: string, value = 'x') => ({ name, value, created_at: new Date().toISOString() })
const names = async () => {
  const rows = await database.db.selectFrom('app_secrets').select('name').orderBy('name').execute()
  return rows.map(({ name }) => name)
}
/** Reads, then writes two rows, like most of our transactions. */
const store = (name: string, value?: string, fail = false) =>
  database.db.transaction().execute(async (trx) => {
    await trx.selectFrom('app_secrets').select('name').where('name', '=', name).execute()
    await trx.insertInto('app_secrets').values(row(name, value)).execute()
    await trx
      .insertInto('app_secrets')
      .values(row(`${name}, again`))
      .execute()
    if (fail) throw new Error('given up')
  })
/** A page in SQLite's log contains the file size after a commit, and zero elsewhere. */
function countCommits(): number {
  const log = readFileSync(join(storage.dataDir, `${SQLITE_FILE}-wal`))
  const frame = FRAME_HEADER + log.readUInt32BE(8)
  let commits = 0
  for (let at = WAL_HEADER; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) commits++
  return commits
}
const outcomes = async (work: Promise<unknown>[]) =>
  (await Promise.allSettled(work)).map((result) =>
    result.status === 'fulfilled' ? 'stored' : String((result.reason as Error).message),
  )

test('concurrent transactions and single writes share one sync', async () => {
  const people = Array.from({ length: 30 }, (_, n) => `p${n}`)
  await Promise.all(
    people.map((name, n) =>
      n % 3 === 0 ? database.db.insertInto('app_secrets').values(row(name)).execute() : store(name),
    ),
  )
  expect(await names()).toHaveLength(50)
  const commits = countCommits()
  expect(commits).toBeGreaterThan(0)
  expect(commits).toBeLessThan(30)
})

test('sequential ones each have their own', async () => {
  for (const name of ['a', 'b', 'c']) await store(name)
  expect(countCommits()).toBe(3)
})

test('a rolled back or refused one is undone alone', async () => {
  const work = [store('a'), store('b', 'x', true), store('a'), store('c')]
  expect(await outcomes(work)).toEqual([
    'stored',
    'given up',
    'UNIQUE constraint failed: app_secrets.name',
    'stored',
  ])
  expect(await names()).toEqual(['a', 'a, again', 'c', 'c, again'])
})

test('a failing disk rolls back everything that was not durable, and acknowledges none of it', async () => {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.db)
  await sql.raw(`pragma max_page_count = ${(rows[0]?.page_count ?? 0) + 20}`).execute(database.db)
  const work = [
    store('a'),
    database.db.insertInto('app_secrets').values(row('b')).execute(),
    store('c'),
    store('too large', 'x'.repeat(1_000_000)),
    store('d'),
  ]
  const told = await outcomes(work)
  expect(told[3]).toBe('database or disk is full')
  const stored = await names()
  for (const [index, name] of ['a', 'b', 'c', 'too large', 'd'].entries())
    expect([name, told[index] === 'stored']).toEqual([name, stored.includes(name)])
  expect(told[4]).toBe('stored')
})
