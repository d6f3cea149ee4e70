import { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ENGINES, makeDatabase, makeStorage, type TestDatabase } from '#tests/support/engines.ts'
import { type Db, openDatabase } from '../database.ts'
import { migrate } from '../migrate.ts'
import { change, pipeline } from './change.ts'

const EXPIRES = '2030-01-01T00:00:00.000Z'
const limit = (db: Db, key: string) =>
  db.insertInto('rate_limits').values({ key, count: 1, expires_at: EXPIRES })

describe.each(ENGINES)('a pipelined statement on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  beforeEach(() => database.db.deleteFrom('rate_limits').execute())
  afterAll(() => database.close())

  const keys = async () => {
    const rows = await database.db.selectFrom('rate_limits').select('key').orderBy('key').execute()
    return rows.map(({ key }) => key)
  }
  const TAKEN = engine === 'sqlite' ? /UNIQUE constraint failed/ : /duplicate key/

  test('is stored with its transaction, and answered by then', async () => {
    const posted = await change(database.db, (trx) => pipeline(trx, limit(trx, 'a').returning('count')))
    expect((await posted.answer).rows).toEqual([{ count: 1 }])
    expect(await keys()).toEqual(['a'])
  })

  test('is visible to later statements', async () => {
    const seen = await change(database.db, async (trx) => {
      await pipeline(trx, limit(trx, 'a'))
      return trx.selectFrom('rate_limits').select('key').execute()
    })
    expect(seen).toEqual([{ key: 'a' }])
  })

  test('that fails rolls its transaction back, which throws the reason at the commit', async () => {
    const work = change(database.db, async (trx) => {
      await pipeline(trx, limit(trx, 'a'))
      await pipeline(trx, limit(trx, 'a'))
    })
    await expect(work).rejects.toThrow(TAKEN)
    expect(await keys()).toEqual([])
  })

  test('that fails rolls its transaction back, which throws the reason at the next statement', async () => {
    const work = change(database.db, async (trx) => {
      await pipeline(trx, limit(trx, 'a'))
      await pipeline(trx, limit(trx, 'a'))
      await limit(trx, 'b').execute()
    })
    await expect(work).rejects.toThrow(TAKEN)
    expect(await keys()).toEqual([])
  })

  test('fails the transaction even if the failure is ignored', async () => {
    const work = change(database.db, async (trx) => {
      await pipeline(trx, limit(trx, 'a')).catch(() => {})
      await pipeline(trx, limit(trx, 'a')).catch(() => {})
      await limit(trx, 'b')
        .execute()
        .catch(() => {})
      await limit(trx, 'c')
        .execute()
        .catch(() => {})
    })
    await work.catch(() => {})
    expect(await keys()).toEqual([])
  })

  test('of a rolled back transaction is rolled back', async () => {
    const work = change(database.db, async (trx) => {
      await pipeline(trx, limit(trx, 'a'))
      throw new Error('given up')
    })
    await expect(work).rejects.toThrow('given up')
    expect(await keys()).toEqual([])
  })

  test('outside of a transaction is stored when it resolves, or throws', async () => {
    await pipeline(database.db, limit(database.db, 'a'))
    expect(await keys()).toEqual(['a'])
    await expect(pipeline(database.db, limit(database.db, 'a'))).rejects.toThrow(TAKEN)
  })
})

describe('a transaction on SQLite', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase('sqlite')
  })
  beforeEach(() => database.db.deleteFrom('rate_limits').execute())
  afterAll(() => database.close())

  test('needs one round trip for begin and first statement, and one for pipelined statements and commit', async () => {
    const sent = vi.spyOn(Worker.prototype, 'postMessage')
    await change(database.db, async (trx) => {
      await trx.selectFrom('rate_limits').select('key').execute()
      await pipeline(trx, limit(trx, 'a'))
      await pipeline(trx, limit(trx, 'b'))
    })
    const journeys = sent.mock.calls.map(([statements]) =>
      (statements as { kind: string }[]).map(({ kind }) => kind),
    )
    sent.mockRestore()
    expect(journeys).toEqual([
      ['begin', 'transaction'],
      ['pipelined', 'pipelined', 'commit'],
    ])
  })

  test('reports pipelined statements and their results to the listener', async () => {
    const storage = await makeStorage('sqlite')
    const heard: [string, boolean][] = []
    const watched = openDatabase({
      ...storage,
      onStatement: (kind, _ms, failed) => heard.push([kind, failed]),
    })
    await migrate(watched.db)
    heard.length = 0
    const work = change(watched.db, async (trx) => {
      await pipeline(trx, limit(trx, 'a'))
      await pipeline(trx, limit(trx, 'a'))
    })
    await expect(work).rejects.toThrow('UNIQUE constraint failed')
    expect(heard).toEqual([
      ['InsertQueryNode', false],
      ['InsertQueryNode', true],
    ])
    await watched.close()
    await storage.remove()
  })

  test('that cannot begin throws the reason, and stores nothing', async () => {
    await sql`begin immediate`.execute(database.db)
    const work = change(database.db, async (trx) => {
      await pipeline(trx, limit(trx, 'a'))
      await limit(trx, 'b').execute()
    })
    await expect(work).rejects.toThrow('cannot start a transaction within a transaction')
    await change(database.db, (trx) => limit(trx, 'c').execute())
    expect(await database.db.selectFrom('rate_limits').select('key').execute()).toEqual([{ key: 'c' }])
  })

  test('that could not begin without a statement does not count as committed', async () => {
    await sql`begin immediate`.execute(database.db)
    await expect(change(database.db, async () => {})).rejects.toThrow('cannot start a transaction')
  })
})
