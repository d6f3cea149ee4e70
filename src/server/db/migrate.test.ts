import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { afterEach, describe, expect, test } from 'vitest'
import { ENGINES, makeStorage, type Storage } from '#tests/support/engines.ts'
import { sentStatements } from '#tests/support/sent-statements.ts'
import { type Database, openDatabase } from './database.ts'
import { openPostgres } from './engines/postgres.ts'
import { migrate } from './migrate.ts'

const nothing: Migration = { up: async () => {} }

let storage: Storage
const opened: Database[] = []
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
  await storage.remove()
})

function open(): Database {
  const database = openDatabase(storage)
  opened.push(database)
  return database
}

test('a start without new migrations reads their names, and no table', async () => {
  storage = await makeStorage('sqlite')
  const { db } = open()
  await migrate(db)
  const statements = await sentStatements(() => migrate(db))
  expect(statements.map(({ sql }) => sql)).toEqual([
    expect.stringContaining('from sqlite_master'),
    expect.stringContaining('from kysely_migration'),
  ])
})

describe.each(ENGINES)('migrations on %s', (engine) => {
  test('of a newer version are reported and change nothing', async () => {
    storage = await makeStorage(engine)
    const { db } = open()
    const { applied } = await migrate(db)
    await sql`insert into kysely_migration (name, timestamp) values ('9999-newer', '2027-01-01')`.execute(db)
    expect(await migrate(db)).toEqual({ applied: [], newer: ['9999-newer'] })
    expect(applied.length).toBeGreaterThan(0)
  })

  test('of another version, with ours missing, are refused and named', async () => {
    storage = await makeStorage(engine)
    const { db } = open()
    await migrate(db, { '0001-theirs': nothing })
    await expect(migrate(db, { '0001-ours': nothing })).rejects.toThrow(/0001-theirs.*0001-ours/)
  })

  test('that fail leave nothing behind', async () => {
    storage = await makeStorage(engine)
    const { db } = open()
    const failing: Migration = {
      up: async (trx) => {
        await trx.schema.createTable('half').addColumn('id', 'integer').execute()
        throw new Error('no')
      },
    }
    await expect(migrate(db, { '0001-failing': failing })).rejects.toThrow('no')
    expect(await db.introspection.getTables()).toEqual([])
    expect(await migrate(db, { '0001-mended': nothing })).toEqual({ applied: ['0001-mended'], newer: [] })
  })
})

test('are applied once, however many processes start', async () => {
  storage = await makeStorage('postgres')
  const results = await Promise.all([open(), open(), open()].map(({ db }) => migrate(db)))
  const applied = results.flatMap((result) => result.applied)
  expect(applied).toContain('0001-auth')
  expect(new Set(applied).size).toBe(applied.length)
})

test('may take longer than any other statement, and others wait for them', async () => {
  storage = await makeStorage('postgres')
  const url = storage.databaseUrl ?? ''
  const limits = { statementTimeoutMs: 900, queryTimeoutMs: 1_200 }
  const sides = [0, 1].map(() => openPostgres({ url, poolSize: 2, ...limits }).db)
  const slow: Migration = { up: async (trx) => void (await sql`select pg_sleep(2)`.execute(trx)) }
  const results = await Promise.all(sides.map((db) => migrate(db, { '0001-slow': slow })))
  expect(results.flatMap(({ applied }) => applied)).toEqual(['0001-slow'])
  // The limits apply again after the migration, on the same connections.
  for (const db of sides) await expect(sql`select pg_sleep(10)`.execute(db)).rejects.toThrow()
  for (const db of sides) await db.destroy()
})
