import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ENGINES, makeStorage, type Storage } from '../../../tests/support/engines.ts'
import { createLogger } from '../http/logger.ts'
import { bumpTagsVersion, watchTagsVersion } from './changes.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

const log = createLogger('silent')
const NEVER_MS = 3_600_000

describe.each(ENGINES)('changes on %s', (engine) => {
  let storage: Storage
  let here: Database
  let elsewhere: Database
  beforeEach(async () => {
    storage = await makeStorage(engine)
    here = openDatabase(storage)
    await migrate(here.db)
    elsewhere = openDatabase(storage)
  })
  afterEach(async () => {
    await elsewhere.close()
    await here.close()
    await storage.remove()
  })

  test('a change made by another process is heard by looking', async () => {
    const onVersion = vi.fn(async () => {})
    const watch = watchTagsVersion({ db: here.db, databaseUrl: null, log, onVersion, pollMs: 20 })
    await bumpTagsVersion(elsewhere.db)
    await vi.waitFor(() => expect(onVersion).toHaveBeenLastCalledWith(1))
    await watch.stop()
  })

  test.runIf(engine === 'postgres')(
    'and without looking, by a notice, also after the connection broke',
    async () => {
      const onVersion = vi.fn(async () => {})
      const watch = watchTagsVersion({
        db: here.db,
        databaseUrl: storage.databaseUrl,
        log,
        onVersion,
        pollMs: NEVER_MS,
      })
      await vi.waitFor(() => expect(onVersion).toHaveBeenLastCalledWith(0))
      await bumpTagsVersion(elsewhere.db)
      await vi.waitFor(() => expect(onVersion).toHaveBeenLastCalledWith(1))

      const client = new pg.Client(storage.databaseUrl ?? '')
      await client.connect()
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'portico-listen' and datname = current_database()`,
      )
      await client.end()
      await bumpTagsVersion(elsewhere.db)
      await vi.waitFor(() => expect(onVersion).toHaveBeenLastCalledWith(2), { timeout: 3000 })
      await watch.stop()
    },
  )

  test('a change that is rolled back is heard by nobody', async () => {
    const onVersion = vi.fn(async () => {})
    const watch = watchTagsVersion({
      db: here.db,
      databaseUrl: storage.databaseUrl,
      log,
      onVersion,
      pollMs: 20,
    })
    await elsewhere.db
      .transaction()
      .execute(async (trx) => {
        await bumpTagsVersion(trx)
        throw new Error('no')
      })
      .catch(() => {})
    await vi.waitFor(() => expect(onVersion.mock.calls.length).toBeGreaterThan(3))
    expect(onVersion).not.toHaveBeenCalledWith(1)
    await watch.stop()
  })
})
