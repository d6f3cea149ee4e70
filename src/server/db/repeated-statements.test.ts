import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { sentStatements } from '#tests/support/sent-statements.ts'
import type { Db } from './database.ts'
import { asRepeated } from './engines/sqlite-driver.ts'

const EXPIRES = '2030-01-01T00:00:00.000Z'
const TAKEN = /UNIQUE constraint failed/

let database: TestDatabase
beforeEach(async () => {
  database = await makeDatabase('sqlite')
})
afterEach(() => database.close())

const insert = (db: Db, keys: readonly string[]) => {
  const query = db.insertInto('rate_limits').values({ key: '', count: 1, expires_at: EXPIRES }).compile()
  return db.executeQuery(
    asRepeated(
      query,
      keys.map((key) => [key, 1, EXPIRES]),
    ),
  )
}
const keys = async () => {
  const rows = await database.db.selectFrom('rate_limits').select('key').orderBy('key').execute()
  return rows.map(({ key }) => key).join('')
}

test('one message stores every row and returns how many', async () => {
  let changed: bigint | undefined
  const statements = await sentStatements(async () => {
    changed = (await insert(database.db, ['a', 'b', 'c'])).numAffectedRows
  })
  expect(statements).toHaveLength(1)
  expect([changed, await keys()]).toEqual([3n, 'abc'])
})

test('a refused row rolls back its own statement only', async () => {
  const settled = await Promise.allSettled([
    insert(database.db, ['a', 'b']),
    insert(database.db, ['c', 'a', 'd']),
    insert(database.db, ['e']),
  ])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect((settled[1] as PromiseRejectedResult).reason.message).toMatch(TAKEN)
  expect(await keys()).toBe('abe')
})

test('in a transaction it is rolled back with it, or alone if the transaction continues', async () => {
  const givenUp = database.db.transaction().execute(async (trx) => {
    await insert(trx, ['a', 'b'])
    throw new Error('given up')
  })
  await expect(givenUp).rejects.toThrow('given up')
  expect(await keys()).toBe('')
  await database.db.transaction().execute(async (trx) => {
    await insert(trx, ['a'])
    await expect(insert(trx, ['b', 'a'])).rejects.toThrow(TAKEN)
    await insert(trx, ['c'])
  })
  expect(await keys()).toBe('ac')
})

test('refuses an invalid parameter before anything is sent', async () => {
  const query = database.db
    .insertInto('rate_limits')
    .values({ key: '', count: 1, expires_at: EXPIRES })
    .compile()
  const statements = await sentStatements(async () => {
    const work = database.db.executeQuery(
      asRepeated(query, [
        ['a', 1, EXPIRES],
        [{}, 1, EXPIRES],
      ]),
    )
    await expect(work).rejects.toThrow('cannot be a database parameter')
    await setTimeout(0)
  })
  expect(statements).toEqual([])
})
