import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { ENGINES, type EngineName, makeStorage, type Storage } from '#tests/support/engines.ts'
import { raiseTagsVersion, watchTagsVersion } from './tag-version.ts'

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

describe.each(ENGINES)('changes on %s', (engine) => {
  test('what another process changed is found by looking', async () => {
    await open(engine)
    const onVersion = vi.fn(async () => {})
    const watch = watchTagsVersion({ db: here.db, onProblem, onVersion, pollMs: 20 })
    await raiseTagsVersion(elsewhere.db)
    await vi.waitFor(() => expect(onVersion).toHaveBeenLastCalledWith(1), 30_000)
    await watch.stop()
  })

  test('what was rolled back is found by nobody', async () => {
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
