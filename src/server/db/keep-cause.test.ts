import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'

describe.each(ENGINES)('an error inside a transaction on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  /** Leaves nothing to roll back: SQLite may do this on a full disk, and a statement can on either engine. */
  const end = (db: TestDatabase['db']) => sql`rollback`.execute(db)

  test('is thrown unchanged when there is nothing left to roll back', async () => {
    const work = database.db.transaction().execute(async (trx) => {
      await end(trx)
      await sql`insert into site_state (id) values (2)`.execute(trx)
    })
    await expect(work).rejects.toThrow(engine === 'sqlite' ? 'the transaction was lost' : /check constraint/i)
  })

  test('leaves a usable connection', async () => {
    const limit = { key: 'after', count: 1, expires_at: '2030-01-01T00:00:00.000Z' }
    await database.db.transaction().execute((trx) => trx.insertInto('rate_limits').values(limit).execute())
    const rows = await database.db.selectFrom('rate_limits').select('key').execute()
    expect(rows.map((row) => row.key)).toEqual(['after'])
  })
})

test('a full SQLite database reports that it is full', async () => {
  const database = await makeDatabase('sqlite')
  const pages = await sql<{ page_count: number }>`pragma page_count`.execute(database.db)
  await sql.raw(`pragma max_page_count = ${pages.rows[0]?.page_count}`).execute(database.db)
  const work = database.db.transaction().execute(async (trx) => {
    for (let index = 0; index < 1_000; index++) {
      const row = { key: `${index}${'x'.repeat(4_000)}`, count: 1, expires_at: '2030-01-01T00:00:00.000Z' }
      await trx.insertInto('rate_limits').values(row).execute()
    }
  })
  await expect(work).rejects.toThrow(/database or disk is full/)
  await database.close()
})
