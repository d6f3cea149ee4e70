import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { makeDatabase } from '#tests/support/engines.ts'
import type { Db } from '../database.ts'
import { DatabaseUnavailableError } from '../errors.ts'

const secret = (name: string) => ({ name, value: 'x', created_at: new Date().toISOString() })

/** With the real limits, which are seconds: the rules themselves are proved with short ones in sqlite-driver.test.ts. */
describe('a transaction that never ends', () => {
  test('is rolled back after some seconds, and waiting writes are stored', async () => {
    const { db, close } = await makeDatabase('sqlite')
    const held = Promise.withResolvers<void>()
    const insert = (trx: Db, name: string) => trx.insertInto('app_secrets').values(secret(name)).execute()
    // Sent before the transaction in the same message: it shares its commit.
    const before = insert(db, 'before')
    const stuck = db.transaction().execute(async (trx) => {
      await insert(trx, 'stuck')
      await held.promise
      await insert(trx, 'stuck 2')
    })
    const refused = expect(stuck).rejects.toBeInstanceOf(DatabaseUnavailableError)
    await nextTurn()
    const begun = performance.now()
    await Promise.all([
      before,
      insert(db, 'behind'),
      db.transaction().execute((trx) => insert(trx, 'behind 2')),
    ])
    expect(performance.now() - begun).toBeGreaterThan(1_000)
    held.resolve()
    await refused
    const rows = await db.selectFrom('app_secrets').select('name').where('value', '=', 'x').execute()
    expect(rows.map(({ name }) => name).sort()).toEqual(['before', 'behind', 'behind 2'])
    await close()
  })

  test('is rolled back after ten seconds without a statement, so that another process can write', async () => {
    const { db, close } = await makeDatabase('sqlite')
    const file = await sql<{ file: string }>`select file from pragma_database_list`.execute(db)
    const other = new DatabaseSync(file.rows[0]?.file ?? '', { timeout: 0 })
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const idle = db.transaction().execute(async (trx) => {
      await trx.insertInto('app_secrets').values(secret('idle')).execute()
      begun.resolve()
      await held.promise
    })
    const refused = expect(idle).rejects.toBeInstanceOf(DatabaseUnavailableError)
    await begun.promise
    const tryToWrite = () => other.exec("insert into app_secrets values ('other', 'x', '')")
    expect(tryToWrite).toThrow('locked')
    await vi.waitFor(tryToWrite, { timeout: 20_000, interval: 100 })
    held.resolve()
    await refused
    const rows = await db.selectFrom('app_secrets').select('name').where('value', '=', 'x').execute()
    expect(rows).toEqual([{ name: 'other' }])
    other.close()
    await close()
  })

  test('does not commit, even if it ends well later', async () => {
    const { db, close } = await makeDatabase('sqlite')
    const held = Promise.withResolvers<void>()
    const late = db.transaction().execute(async (trx) => {
      await trx.insertInto('app_secrets').values(secret('late')).execute()
      await held.promise
    })
    const refused = expect(late).rejects.toBeInstanceOf(DatabaseUnavailableError)
    await db.insertInto('app_secrets').values(secret('behind')).execute()
    held.resolve()
    await refused
    await close()
  })
})

test('every write that waits for another process’s lock is refused in the same time, however many wait', async () => {
  const { db, close } = await makeDatabase('sqlite')
  const file = await sql<{ file: string }>`select file from pragma_database_list`.execute(db)
  const other = new DatabaseSync(file.rows[0]?.file ?? '')
  const insert = (name: string) => db.insertInto('app_secrets').values(secret(name)).execute()
  other.exec('begin immediate')
  const begun = performance.now()
  const waiting = Array.from({ length: 60 }, (_, index) => insert(`name ${index}`))
  for (const each of waiting) await expect(each).rejects.toThrow('locked')
  // Five seconds each, one after the other, would be five minutes.
  expect(performance.now() - begun).toBeLessThan(120_000)
  other.exec('rollback')
  other.close()
  await insert('free')
  await close()
})
