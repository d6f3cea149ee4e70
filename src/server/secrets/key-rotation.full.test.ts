import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ENGINES, failOnProblem, makeStorage, type Storage } from '#tests/support/engines.ts'
import { insertSecrets, openAll, readStored, type SecretRow, textsOf } from '#tests/support/secret-rows.ts'
import { type Config, parseConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { prepareDatabase } from './encrypted-database.ts'
import { addNextKey, dropFormerKeys, switchToKey } from './key-rotation.ts'
import { readSecretKeyFile, replaceSecretKeyFile } from './secret-key.ts'
import { readKeyId, type SecretBox } from './secrets.ts'

describe.each(ENGINES)('a key rotation on %s', (engine) => {
  let storage: Storage
  let database: Database
  let secretKey: Config['secretKey']
  let running: SecretBox
  let rows: SecretRow[]
  let first: string
  beforeEach(async () => {
    storage = await makeStorage(engine)
    database = openDatabase(storage)
    secretKey = parseConfig(storage.env).secretKey
    running = await prepareDatabase({ secretKey }, database.db, failOnProblem)
    rows = await insertSecrets(database.db, running)
    first = (await readKeyId(database.db)) ?? ''
  })
  afterEach(async () => {
    await database.close()
    await storage.remove()
  })

  const keysInFile = async () => (await readSecretKeyFile(secretKey.file))?.map((key) => key.id)

  /** A running server and a new one read everything, and what the other writes. */
  async function expectEverythingReadable(): Promise<void> {
    const started = await prepareDatabase({ secretKey }, database.db, failOnProblem)
    for (const [writer, reader] of [
      [running, started],
      [started, running],
    ] as const) {
      rows.push(...(await insertSecrets(database.db, writer)))
      expect(await openAll(database.db, reader, rows)).toEqual(textsOf(rows))
    }
  }

  test('leaves everything readable after each step', async () => {
    const next = await addNextKey(secretKey.file, first)
    expect(await keysInFile()).toEqual([first, next.id])
    await expectEverythingReadable()
    expect(await readKeyId(database.db)).toBe(first)

    await switchToKey(database.db, secretKey, next)
    expect(await readKeyId(database.db)).toBe(next.id)
    await expectEverythingReadable()

    expect(await dropFormerKeys(secretKey.file, next.id)).toBe(1)
    expect(await keysInFile()).toEqual([next.id])
    await expectEverythingReadable()
    const stored = await Promise.all(rows.map((row) => readStored(database.db, row)))
    expect(new Set(stored.map((text) => decodeProtectedHeader(text).kid))).toEqual(new Set([next.id]))
  })

  test('continues with the key in the file when it is run again, and never goes back', async () => {
    const next = await addNextKey(secretKey.file, first)
    expect((await addNextKey(secretKey.file, first)).id).toBe(next.id)
    expect(await dropFormerKeys(secretKey.file, first)).toBe(0)
    await switchToKey(database.db, secretKey, next)
    // As after a kill before the last step: the former key is not taken for the next one.
    const after = await addNextKey(secretKey.file, next.id)
    expect(after.id).not.toBe(first)
    expect(await keysInFile()).toEqual([first, next.id, after.id])
    await expectEverythingReadable()
  })

  test('is rolled back if one secret cannot be decrypted', async () => {
    await database.db
      .updateTable('app_secrets')
      .set({ value: 'broken' })
      .where('name', '=', rows[1]?.row ?? '')
      .execute()
    const next = await addNextKey(secretKey.file, first)
    await expect(switchToKey(database.db, secretKey, next)).rejects.toThrow()
    expect(await readKeyId(database.db)).toBe(first)
    expect(await openAll(database.db, running, rows.slice(0, 1))).toEqual(textsOf(rows.slice(0, 1)))
  })

  test('a process without the new key names the missing one', async () => {
    const before = (await readSecretKeyFile(secretKey.file)) ?? []
    const next = await addNextKey(secretKey.file, first)
    await switchToKey(database.db, secretKey, next)
    await replaceSecretKeyFile(secretKey.file, before)
    await expect(openAll(database.db, running, rows)).rejects.toThrow(next.id)
    await expect(insertSecrets(database.db, running)).rejects.toThrow(next.id)
  })
})
