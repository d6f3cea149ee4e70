import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { failOnProblem, makeStorage, type Storage, TIER_ENGINES } from '#tests/support/engines.ts'
import { filesHolding } from '#tests/support/raw-files.ts'
import { insertSecrets, openAll, readStored, textsOf } from '#tests/support/secret-rows.ts'
import { parseConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { MIGRATIONS, migrate } from '../db/migrate.ts'
import { prepareDatabase } from './encrypted-database.ts'
import { makeSecretKeyFile } from './secret-key.ts'
import { readKeyId, type SecretBox } from './secrets.ts'

describe.each(TIER_ENGINES)('a start on %s', (engine) => {
  let storage: Storage
  let database: Database
  beforeEach(async () => {
    storage = await makeStorage(engine)
    database = openDatabase(storage)
  })
  afterEach(async () => {
    await database.close()
    await storage.remove()
  })

  const prepare = (secretKey = parseConfig(storage.env).secretKey, { db } = database): Promise<SecretBox> =>
    prepareDatabase({ secretKey }, db, failOnProblem)

  /** The schema and content of a version without a key. */
  async function becomeAnEarlierVersion(): Promise<void> {
    const earlier = Object.entries(MIGRATIONS).filter(([name]) => name < '0009')
    await migrate(database.db, Object.fromEntries(earlier))
  }

  /** A session with an old snapshot, on an unrelated table. */
  async function holdSnapshot(): Promise<() => Promise<void>> {
    const elsewhere = openDatabase(storage)
    const trx = await elsewhere.db.startTransaction().setIsolationLevel('repeatable read').execute()
    await trx.selectFrom('site_state').selectAll().execute()
    return async () => {
      await trx.rollback().execute()
      await elsewhere.close()
    }
  }

  async function anotherKey(name: string): Promise<{ file: string; makeIfAbsent: boolean; id: string }> {
    const file = join(storage.dataDir, name)
    const [key] = await makeSecretKeyFile(file)
    return { file, makeIfAbsent: false, id: key?.id ?? '' }
  }

  test('encrypts what an earlier version left plain, once, and leaves no copy in the files', async () => {
    await becomeAnEarlierVersion()
    const [removed, kept] = [await insertSecrets(database.db, null), await insertSecrets(database.db, null)]
    await database.db
      .deleteFrom('auth_factors')
      .where('id', '=', removed[0]?.row ?? '')
      .execute()
    await database.db
      .deleteFrom('app_secrets')
      .where('name', '=', removed[1]?.row ?? '')
      .execute()
    const texts = textsOf([...removed, ...kept])
    expect(await filesHolding(storage, database.db, texts)).not.toEqual([])

    const onlooker = engine === 'postgres' ? await holdSnapshot() : async () => {}
    const box = await prepare()
    await onlooker()
    expect(await filesHolding(storage, database.db, texts)).toEqual([])
    expect(await openAll(database.db, box, kept)).toEqual(textsOf(kept))
    const encrypted = await Promise.all(kept.map((row) => readStored(database.db, row)))
    await prepare()
    expect(await Promise.all(kept.map((row) => readStored(database.db, row)))).toEqual(encrypted)
    writeDocRow('docs/reports/attacks.md', 'fixed', [
      'B12b',
      'TOTP secrets and keys of an earlier version searched for in the raw files of both databases after the first start, deleted ones included',
      'none is found; each can still be decrypted',
      '`src/server/secrets/encrypted-database.test.ts`',
    ])
  })

  test('erases what a killed first start left in the files', async () => {
    await prepare()
    const rows = await insertSecrets(database.db, null)
    await database.db.deleteFrom('auth_factors').execute()
    await database.db.deleteFrom('app_secrets').execute()
    await database.db.updateTable('secret_key').set({ leftovers_cleared_at: null }).execute()
    expect(await filesHolding(storage, database.db, textsOf(rows))).not.toEqual([])
    await prepare()
    expect(await filesHolding(storage, database.db, textsOf(rows))).toEqual([])
  })

  test('with another key stops before it writes and names both', async () => {
    const box = await prepare()
    const rows = await insertSecrets(database.db, box)
    const other = await anotherKey('other.key')
    const before = await dump(database)
    const own = await readKeyId(database.db)
    await expect(prepare(other)).rejects.toThrow(
      new RegExp(`usam a chave ${own}, mas o arquivo ${other.file} tem a chave ${other.id}. Nada foi`),
    )
    expect(await dump(database)).toEqual(before)
    expect(await openAll(database.db, box, rows)).toEqual(textsOf(rows))
  })

  test('without the key file creates no new one', async () => {
    await prepare()
    const { file } = parseConfig(storage.env).secretKey
    rmSync(file)
    const before = await dump(database)
    await expect(prepare({ file, makeIfAbsent: true })).rejects.toThrow(`o arquivo ${file} não existe`)
    expect(existsSync(file)).toBe(false)
    expect(await dump(database)).toEqual(before)
  })

  test('beside another with another key: one sets the key of the database, the other stops', async () => {
    await migrate(database.db)
    const [one, two] = [await anotherKey('one.key'), await anotherKey('two.key')]
    const elsewhere = openDatabase(storage)
    const starts = await Promise.allSettled([prepare(one), prepare(two, elsewhere)])
    await elsewhere.close()
    expect(starts.map((start) => start.status).sort()).toEqual(['fulfilled', 'rejected'])
    const winner = starts[0].status === 'fulfilled' ? one : two
    expect(await readKeyId(database.db)).toBe(winner.id)
  })
})

async function dump({ db, engine }: Database): Promise<unknown[]> {
  const schema = engine === 'postgres' ? 'public' : undefined
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  const names = tables.filter((table) => table.schema === schema).map((table) => table.name)
  expect(names.length).toBeGreaterThan(15)
  return Promise.all(
    names.sort().map(async (name) => [name, (await sql`select * from ${sql.table(name)}`.execute(db)).rows]),
  )
}
