import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { ENGINES, type EngineName, makeStorage, type Storage } from '#tests/support/engines.ts'
import {
  findChangedPixels,
  raiseTagsVersion,
  readTagChanges,
  readTagsVersion,
  watchTagsVersion,
} from './tag-version.ts'

const onProblem = () => {}
let storage: Storage
let here: Database
let elsewhere: Database

async function open(engine: EngineName): Promise<void> {
  storage = await makeStorage(engine)
  here = openDatabase(storage)
  await migrate(here.db)
  elsewhere = openDatabase(storage)
}
afterEach(async () => {
  await elsewhere.close()
  await here.close()
  await storage.remove()
})

describe.each(ENGINES)('tag changes on %s', (engine) => {
  test('finds a change of another process by polling', async () => {
    await open(engine)
    const onVersion = vi.fn(async () => {})
    const watch = watchTagsVersion({ db: here.db, onProblem, onVersion, pollMs: 20 })
    await raiseTagsVersion(elsewhere.db)
    await vi.waitFor(() => expect(onVersion).toHaveBeenLastCalledWith(1), 30_000)
    await watch.stop()
  })

  test('tells which pixels changed since a version, unless anything may have', async () => {
    await open(engine)
    const at = await readTagsVersion(here.db)
    await elsewhere.db.transaction().execute((trx) => raiseTagsVersion(trx, ['a', 'b']))
    await elsewhere.db.transaction().execute((trx) => raiseTagsVersion(trx, []))
    await elsewhere.db.transaction().execute((trx) => raiseTagsVersion(trx, ['b', 'c']))
    expect(await readTagsVersion(here.db)).toBe(at + 3)
    const between = async (from: number, to: number) =>
      findChangedPixels(await readTagChanges(here.db, at + from), at + from, at + to)?.sort() ?? null
    expect(await between(0, 3)).toEqual(['a', 'b', 'c'])
    expect(await between(1, 2)).toEqual([])
    expect(await between(3, 3)).toEqual([])
    // Written by an older release, or restored from a backup.
    await raiseTagsVersion(elsewhere.db)
    await elsewhere.db.transaction().execute((trx) => raiseTagsVersion(trx, ['d']))
    expect(await between(3, 5)).toBeNull()
    expect(await between(4, 5)).toEqual(['d'])
    expect(await between(5, 3)).toBeNull()
    const many = Array.from({ length: 201 }, (_, index) => String(index))
    await elsewhere.db.transaction().execute((trx) => raiseTagsVersion(trx, many))
    expect(await between(5, 6)).toBeNull()
    for (let change = 0; change < 51; change++) await raiseTagsVersion(elsewhere.db, ['e'])
    expect(await between(6, 57)).toBeNull()
    expect(await between(7, 57)).toEqual(['e'])
  })

  test('never sees a change that was rolled back', async () => {
    await open(engine)
    const onVersion = vi.fn(async () => {})
    const watch = watchTagsVersion({ db: here.db, onProblem, onVersion, pollMs: 20 })
    const change = elsewhere.db.transaction().execute(async (trx) => {
      await raiseTagsVersion(trx)
      throw new Error('changed my mind')
    })
    await expect(change).rejects.toThrow('changed my mind')
    await vi.waitFor(() => expect(onVersion.mock.calls.length).toBeGreaterThan(3), 30_000)
    expect(onVersion).not.toHaveBeenCalledWith(1)
    await watch.stop()
  })
})
