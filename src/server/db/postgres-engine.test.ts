import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeStorage, type Storage } from '#tests/support/engines.ts'
import type { Db } from './database.ts'
import { DatabaseUnavailableError } from './database-unavailable-error.ts'
import { isUnavailable } from './is-unavailable.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres-engine.ts'

let storage: Storage
let url: string
const opened: Db[] = []

beforeEach(async () => {
  storage = await makeStorage('postgres')
  url = storage.databaseUrl ?? ''
})
afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy()
  await storage.remove()
})

function open(limits: { statementTimeoutMs?: number; queryTimeoutMs?: number } = {}, poolSize = 1) {
  const postgres = openPostgres({ url, poolSize, onConnectionLost: () => {}, ...limits })
  opened.push(postgres.db)
  return postgres
}

async function endEveryConnection(): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}

test('a connection that breaks inside a transaction rejects it, and the next finds a new one', async () => {
  const { db } = open()
  const work = db.transaction().execute(async (trx) => {
    await sql`select 1`.execute(trx)
    await endEveryConnection()
    await sql`select 1`.execute(trx)
  })
  await expect(work).rejects.toBeInstanceOf(DatabaseUnavailableError)
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

test('a statement that the server does not end is given up here, with its connection', async () => {
  const { db } = open({ statementTimeoutMs: 600_000, queryTimeoutMs: 100 })
  await expect(sql`select pg_sleep(600)`.execute(db)).rejects.toBeInstanceOf(DatabaseUnavailableError)
  const inTransaction = db.transaction().execute((trx) => sql`select pg_sleep(600)`.execute(trx))
  await expect(inTransaction).rejects.toBeInstanceOf(DatabaseUnavailableError)
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

test('a statement that takes too long is ended by the server, and its connection goes on', async () => {
  const { db } = open({ statementTimeoutMs: 100 })
  const backend = async () =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid
  const before = await backend()
  const error = await sql`select pg_sleep(600)`.execute(db).catch((reason: unknown) => reason)
  expect(isUnavailable(error)).toBe(true)
  expect(await backend()).toBe(before)
})

test('a pool whose every connection is taken says so, and has them again afterwards', async () => {
  const { db } = open({}, 1)
  await db.connection().execute(async () => {
    await expect(sql`select 1`.execute(db)).rejects.toBeInstanceOf(DatabaseUnavailableError)
  })
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

describe('a process that has pinned its site', () => {
  test('takes no connection to the data of another, and goes on when its own is back', async () => {
    const { db, pinSite } = open()
    await migrate(db)
    await pinSite()
    const own = await db.selectFrom('site_state').select('site_id').executeTakeFirstOrThrow()
    const other = open()
    await other.db
      .updateTable('site_state')
      .set({ site_id: '00000000-0000-4000-8000-000000000000' })
      .execute()
    await endEveryConnection()
    await expect(db.selectFrom('site_state').selectAll().execute()).rejects.toBeInstanceOf(
      DatabaseUnavailableError,
    )
    await other.db.updateTable('site_state').set(own).execute()
    expect(await db.selectFrom('site_state').select('site_id').execute()).toEqual([own])
  })
})

test.each([
  ['57P01', true],
  ['53300', true],
  ['08006', true],
  ['25006', true],
  ['23505', false],
  ['42703', false],
])('SQLSTATE %s means unavailable: %s', (code, expected) => {
  expect(isUnavailable(Object.assign(new Error('x'), { code }))).toBe(expected)
})

test.each([
  ['full', 13, true],
  ['busy, as a snapshot', 517, true],
  ['read-only, as moved', 1032, true],
  ['a constraint', 2067, false],
])('SQLite %s (%i) means unavailable: %s', (_what, errcode, expected) => {
  expect(isUnavailable(Object.assign(new Error('x'), { errcode }))).toBe(expected)
})
