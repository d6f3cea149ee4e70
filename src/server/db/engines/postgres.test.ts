import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { proveWritable } from '#server/operations/health.ts'
import { makeStorage, type Storage } from '#tests/support/engines.ts'
import type { Db } from '../database.ts'
import { DatabaseUnavailableError, isUnavailable } from '../errors.ts'
import { migrate } from '../migrate.ts'
import { openPostgres } from './postgres.ts'

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

/** On a connection of its own, so that none of the pools' own is in the way. */
async function ask(statement: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statement, values)
  await client.end()
}

/** They have ended when it returns; a pool hears of that when it reads, which is later. */
const endEveryConnection = () =>
  ask(
    'select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )

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
  const { db } = open({ statementTimeoutMs: 600_000, queryTimeoutMs: 1_500 })
  await expect(sql`select pg_sleep(600)`.execute(db)).rejects.toBeInstanceOf(DatabaseUnavailableError)
  const inTransaction = db.transaction().execute((trx) => sql`select pg_sleep(600)`.execute(trx))
  await expect(inTransaction).rejects.toBeInstanceOf(DatabaseUnavailableError)
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

test('a statement that takes too long is ended by the server, and its connection goes on', async () => {
  const { db } = open({ statementTimeoutMs: 1_000 })
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
    const nameSite = (id: string | null) => ask('update site_state set site_id = $1', [id])
    const read = () => db.selectFrom('site_state').select('site_id').execute()
    await nameSite('00000000-0000-4000-8000-000000000000')
    await endEveryConnection()
    // The first may still be given the connection that has ended; the second gets a new one, which is refused.
    await expect(read()).rejects.toBeInstanceOf(DatabaseUnavailableError)
    await expect(read()).rejects.toMatchObject({ cause: { message: expect.stringContaining('not the one') } })
    await nameSite(own.site_id)
    expect(await read()).toEqual([own])
  })
})

describe('a connection that can only read', () => {
  const subscribers = (db: Db) => sql`insert into subscribers values ('pessoa@exemplo.com.br')`.execute(db)

  test('is closed after a refused write, inside a transaction and outside, and the next one writes', async () => {
    const { db } = open()
    await sql`create table subscribers (email text)`.execute(db)
    for (const write of [
      () => subscribers(db),
      () => db.transaction().execute((trx) => subscribers(trx)),
    ] as const) {
      await sql`set session characteristics as transaction read only`.execute(db)
      const error = await write().catch((reason: unknown) => reason)
      expect(isUnavailable(error)).toBe(true)
      await write()
    }
  })

  test('is not given out to a server that has started', async () => {
    const { db, pinSite } = open({}, 3)
    await migrate(db)
    await pinSite()
    const database = (await sql<{ name: string }>`select current_database() as name`.execute(db)).rows[0]
      ?.name
    await ask(`alter database ${database} set default_transaction_read_only = on`)
    await endEveryConnection()
    // The first may still be given a connection that has ended; the others get new ones, which are refused.
    const answers = await Promise.allSettled(Array.from({ length: 6 }, () => sql`select 1`.execute(db)))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill('rejected'))
    await expect(sql`select 1`.execute(db)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('read-only') },
    })
    const writable = new pg.Client(url)
    await writable.connect()
    await writable.query(`set default_transaction_read_only = off`)
    await writable.query(`alter database ${database} reset default_transaction_read_only`)
    await writable.end()
    await proveWritable(db)
  })
})

test('a process that stops waits a second for a connection, and for the next ones not at all', async () => {
  const silent = createServer((socket) => void socket.on('error', () => {}))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const { db, closeWithin } = openPostgres({
    url: `postgres://postgres@127.0.0.1:${port}/site`,
    poolSize: 1,
    onConnectionLost: () => {},
  })
  closeWithin(1_500)
  const begun = performance.now()
  for (let flush = 0; flush < 5; flush++)
    await expect(sql`select 1`.execute(db)).rejects.toBeInstanceOf(DatabaseUnavailableError)
  await db.destroy()
  // Five times the five seconds in which a connection must come otherwise.
  expect(performance.now() - begun).toBeLessThan(10_000)
  silent.close()
})

describe('the proof that a write succeeds', () => {
  test('fails where a row can be updated and no file may grow', async () => {
    const { db } = open()
    await migrate(db)
    await proveWritable(db)
    await sql`set temp_file_limit = '256kB'`.execute(db)
    await db.updateTable('readiness').set({ proved_at: new Date().toISOString() }).execute()
    await expect(proveWritable(db)).rejects.toThrow('temporary file size exceeds')
  })

  test('fails without the row', async () => {
    const { db } = open()
    await migrate(db)
    await sql`delete from readiness`.execute(db)
    await expect(proveWritable(db)).rejects.toThrow('lost its readiness row')
  })
})
