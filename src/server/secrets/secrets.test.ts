import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const place = { table: 'auth_factors', column: 'secret', row: 'a' }

describe.each(ENGINES)('the secret box on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  const encrypt = (text: string) =>
    database.db.transaction().execute((trx) => database.secrets.encrypt(trx, place, text))

  test('decrypts what it encrypted, and never gives the same ciphertext twice', async () => {
    const [one, two] = [await encrypt(SECRET), await encrypt(SECRET)]
    expect(one).not.toBe(two)
    expect(await database.secrets.decrypt(place, one)).toBe(SECRET)
    expect(await database.secrets.decrypt(place, two)).toBe(SECRET)
  })

  test('decrypts nothing from another row, column or table, and nothing that was changed', async () => {
    const encrypted = await encrypt(SECRET)
    const moved = [
      { ...place, row: 'b' },
      { ...place, column: 'friendly_name' },
      { ...place, table: 'app_secrets' },
      { table: 'auth_factors.secret', column: 'a', row: '' },
    ]
    for (const other of moved) await expect(database.secrets.decrypt(other, encrypted)).rejects.toThrow()
    const parts = encrypted.split('.')
    const header = JSON.parse(Buffer.from(parts[0] ?? '', 'base64url').toString()) as Record<string, string>
    const forged = Buffer.from(JSON.stringify({ ...header, place: 'auth_factors.secret/b' }))
    const changed = [
      [forged.toString('base64url'), ...parts.slice(1)].join('.'),
      encrypted.replace(/.{4}$/, 'AAAA'),
      SECRET,
      '',
      '{"plain":"text"}',
    ]
    for (const text of changed) {
      await expect(database.secrets.decrypt(place, text)).rejects.toThrow()
      await expect(database.secrets.decrypt({ ...place, row: 'b' }, text)).rejects.toThrow()
    }
    writeDocRow('docs/reports/attacks.md', 'fixed', [
      'B12a',
      `an encrypted secret copied into another row, column or table (${moved.length}), or changed (${changed.length})`,
      'it cannot be decrypted',
      '`src/server/secrets/secrets.test.ts`',
    ])
  })
})
