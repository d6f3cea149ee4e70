import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { proveWritable } from '#server/operations/health.ts'
import { makeStorage, type Storage } from '#tests/support/engines.ts'
import { type Db, whenReachable } from '../database.ts'
import { DatabaseUnavailableError, describeWait, isUnavailable } from '../errors.ts'
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
  const postgres = openPostgres({ url, poolSize, ...limits })
  opened.push(postgres.db)
  return postgres
}

/** On its own connection, so that the pools are not involved. */
async function ask(statement: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statement, values)
  await client.end()
}

/** Connections are closed when this returns; a pool notices later, when it reads. */
const endEveryConnection = () =>
  ask(
    'select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )

test('a broken connection rejects its transaction, and the next one gets a new connection', async () => {
  const { db } = open()
  const work = db.transaction().execute(async (trx) => {
    await sql`select 1`.execute(trx)
    await endEveryConnection()
    await sql`select 1`.execute(trx)
  })
  await expect(work).rejects.toBeInstanceOf(DatabaseUnavailableError)
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

test('gives up a statement that the server does not end, with its connection', async () => {
  const { db } = open({ statementTimeoutMs: 600_000, queryTimeoutMs: 1_500 })
  await expect(sql`select pg_sleep(600)`.execute(db)).rejects.toBeInstanceOf(DatabaseUnavailableError)
  const inTransaction = db.transaction().execute((trx) => sql`select pg_sleep(600)`.execute(trx))
  await expect(inTransaction).rejects.toBeInstanceOf(DatabaseUnavailableError)
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

test('the server ends a slow statement, and its connection stays usable', async () => {
  const { db } = open({ statementTimeoutMs: 1_000 })
  const backend = async () =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid
  const before = await backend()
  const error = await sql`select pg_sleep(600)`.execute(db).catch((reason: unknown) => reason)
  expect(isUnavailable(error)).toBe(true)
  expect(await backend()).toBe(before)
})

test('reports an exhausted pool and recovers', async () => {
  const { db } = open({}, 1)
  await db.connection().execute(async () => {
    await expect(sql`select 1`.execute(db)).rejects.toBeInstanceOf(DatabaseUnavailableError)
  })
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

describe('a full server', () => {
  const ROOM = 4
  let limitedUrl: string
  let role: string

  beforeEach(async () => {
    role = `r_${randomUUID().replaceAll('-', '')}`
    await ask(`create role ${role} login connection limit ${ROOM}`)
    await ask('create table stored (number integer primary key)')
    await ask(`grant all on stored to ${role}`)
    limitedUrl = url.replace('postgres@', `${role}@`)
  })
  afterEach(async () => {
    for (const db of opened.splice(0)) await db.destroy()
    await ask(`drop owned by ${role}`)
    await ask(`drop role ${role}`)
  })

  const openLimited = (lines: string[] = []) => {
    const note = (_details: object, message: string) => void lines.push(message)
    const postgres = openPostgres({ url: limitedUrl, poolSize: 5, log: { warn: note, info: note } })
    opened.push(postgres.db)
    return postgres.db
  }
  const store = (db: Db, number: number) => sql`insert into stored values (${number})`.execute(db)
  const takeAll = async () => {
    const held: pg.Client[] = []
    for (let place = 0; place < ROOM; place++) {
      const client = new pg.Client(limitedUrl)
      await client.connect()
      held.push(client)
    }
    return held
  }

  test('fails no request of a process that holds a connection: each waits for one that works', async () => {
    const lines: string[] = []
    const processes = Array.from({ length: ROOM }, () => openLimited(lines))
    for (const db of processes) await sql`select 1`.execute(db)
    const numbers = Array.from({ length: 400 }, (_, number) => number)
    const answers = await Promise.allSettled(
      numbers.map((number) => store(processes[number % ROOM] as Db, number)),
    )
    expect(answers.filter(({ status }) => status === 'rejected')).toEqual([])
    const { rows } = await sql<{ count: number }>`select count(*) from stored`.execute(processes[0] as Db)
    expect(rows).toEqual([{ count: numbers.length }])
    expect(lines).toEqual(Array(ROOM).fill(expect.stringContaining('requests share the open ones')))
  })

  test('keeps a request without any connection waiting for a short time', async () => {
    const held = await takeAll()
    const lines: string[] = []
    const stored = store(openLimited(lines), 1)
    await expect.poll(() => lines).toEqual([expect.stringContaining('cannot be reached')])
    await held[0]?.end()
    await stored
    expect(lines).toEqual([expect.anything(), expect.stringContaining('can be reached again')])
    for (const client of held.slice(1)) await client.end()
  })

  test('is waited for by a start, which says so in the log', async () => {
    const held = await takeAll()
    const lines: string[] = []
    const note = (_details: object, message: string) => void lines.push(message)
    const db = openLimited()
    const started = whenReachable(() => store(db, 1), { warn: note, info: note }, 50)
    await expect
      .poll(() => lines, { timeout: 30_000 })
      .toEqual(['start: waiting for the database, it has no free connection'])
    for (const client of held) await client.end()
    await started
  })

  test('is asked less and less often, writes one line, and requests fail with its reason', async () => {
    const held = await takeAll()
    const lines: string[] = []
    const db = openLimited(lines)
    const first = await Promise.allSettled([1, 2, 3].map((number) => store(db, number)))
    expect(first.map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    const connects = vi.spyOn(pg.Pool.prototype, 'connect')
    for (let number = 0; number < 100; number++)
      await expect(store(db, number)).rejects.toMatchObject({ cause: { code: '53300' } })
    expect(connects.mock.calls.length).toBeLessThan(10)
    connects.mockRestore()
    expect(lines).toHaveLength(1)
    for (const client of held) await client.end()
    await expect.poll(() => store(db, 1).then(() => 'stored', String), { timeout: 30_000 }).toBe('stored')
    expect(lines).toHaveLength(2)
  })
})

describe('a process with a pinned site', () => {
  test('refuses a connection to other data, and continues when its own is back', async () => {
    const { db, pinSite } = open()
    await migrate(db)
    await pinSite()
    const own = await db.selectFrom('site_state').select('site_id').executeTakeFirstOrThrow()
    const nameSite = (id: string | null) => ask('update site_state set site_id = $1', [id])
    const read = () => db.selectFrom('site_state').select('site_id').execute()
    await nameSite('00000000-0000-4000-8000-000000000000')
    await endEveryConnection()
    // The first may still get the closed connection; the second gets a new one, which is refused.
    await expect(read()).rejects.toBeInstanceOf(DatabaseUnavailableError)
    await expect(read()).rejects.toMatchObject({ cause: { message: expect.stringContaining('not the one') } })
    await nameSite(own.site_id)
    await expect.poll(() => read().catch(String), { timeout: 30_000 }).toEqual([own])
  })
})

describe('a read-only connection', () => {
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

  test('is not used after the start', async () => {
    const { db, pinSite } = open({}, 3)
    await migrate(db)
    await pinSite()
    const database = (await sql<{ name: string }>`select current_database() as name`.execute(db)).rows[0]
      ?.name
    await ask(`alter database ${database} set default_transaction_read_only = on`)
    await endEveryConnection()
    // The first may still get a closed connection; the others get new ones, which are refused.
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
    await expect
      .poll(() => proveWritable(db).then(() => 'written', String), { timeout: 30_000 })
      .toBe('written')
  })
})

test('a start does not wait for a database that refuses it', async () => {
  const log = { warn: () => expect.unreachable(), info: () => {} }
  const { db } = openPostgres({ url: `${url.replace('?', '_missing?')}`, poolSize: 1 })
  opened.push(db)
  const started = whenReachable(() => sql`select 1`.execute(db), log)
  await expect(started).rejects.toMatchObject({ cause: { code: '3D000' } })
})

/** Refuses every connection with the words of PgBouncer, which has one code for all of them. */
async function startRefusing(message: string): Promise<string> {
  const fields = `SFATAL\0VFATAL\0C08P01\0M${message}\0\0`
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(4 + Buffer.byteLength(fields), 1)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(Buffer.concat([head, Buffer.from(fields)])))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/site`
}

test.each([
  ['no more connections allowed (max_client_conn)', 'it has no free connection'],
  ['remaining connection slots are reserved for superusers', 'it has no free connection'],
  ['sorry, too many clients already', 'it has no free connection'],
  ['too many connections for role "portico"', 'it has no free connection'],
  ['query_wait_timeout', 'it does not answer'],
  ['server login has been failing, try again later (server_login_retry)', 'it does not answer'],
])('a start waits for a PgBouncer that says "%s"', async (message, reason) => {
  const { db } = openPostgres({ url: await startRefusing(message), poolSize: 1 })
  opened.push(db)
  expect(describeWait(await sql`select 1`.execute(db).catch((error: unknown) => error))).toBe(reason)
})

test.each([
  ['the server ends', { statementTimeoutMs: 100 }],
  ['that gets no answer', { queryTimeoutMs: 300 }],
])('a start waits for the database after a statement %s', async (_how, limits) => {
  const slow = sql`select pg_sleep(2)`.execute(open(limits, 1).db)
  expect(describeWait(await slow.catch((error: unknown) => error))).toBe('it does not answer')
})

test('a stopping process waits a second for a connection, and not at all for the next ones', async () => {
  const silent = createServer((socket) => void socket.on('error', () => {}))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const { db, closeWithin } = openPostgres({
    url: `postgres://postgres@127.0.0.1:${port}/site`,
    poolSize: 1,
  })
  closeWithin(1_500)
  const begun = performance.now()
  for (let flush = 0; flush < 40; flush++)
    await expect(sql`select 1`.execute(db)).rejects.toBeInstanceOf(DatabaseUnavailableError)
  await db.destroy()
  // Forty waits of the usual five seconds would take more than three minutes.
  expect(performance.now() - begun).toBeLessThan(60_000)
  silent.close()
})

describe('the write check', () => {
  test('fails where a row can be updated but no file can grow', async () => {
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
