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

  const seal = (text: string) =>
    database.db.transaction().execute((trx) => database.secrets.seal(trx, place, text))

  test('gives back what it was given, and never the same cipher twice', async () => {
    const [one, two] = [await seal(SECRET), await seal(SECRET)]
    expect(one).not.toBe(two)
    expect(await database.secrets.open(place, one)).toBe(SECRET)
    expect(await database.secrets.open(place, two)).toBe(SECRET)
  })

  test('opens nothing in another row, column or table, and nothing that was changed', async () => {
    const sealed = await seal(SECRET)
    const moved = [
      { ...place, row: 'b' },
      { ...place, column: 'friendly_name' },
      { ...place, table: 'app_secrets' },
      { table: 'auth_factors.secret', column: 'a', row: '' },
    ]
    for (const other of moved) await expect(database.secrets.open(other, sealed)).rejects.toThrow()
    const parts = sealed.split('.')
    const header = JSON.parse(Buffer.from(parts[0] ?? '', 'base64url').toString()) as Record<string, string>
    const forged = Buffer.from(JSON.stringify({ ...header, place: 'auth_factors.secret/b' }))
    const changed = [
      [forged.toString('base64url'), ...parts.slice(1)].join('.'),
      sealed.replace(/.{4}$/, 'AAAA'),
      SECRET,
      '',
      '{"plain":"text"}',
    ]
    for (const text of changed) {
      await expect(database.secrets.open(place, text)).rejects.toThrow()
      await expect(database.secrets.open({ ...place, row: 'b' }, text)).rejects.toThrow()
    }
    writeDocRow('docs/security.md', 'doors', [
      'B12a',
      `a sealed secret copied into another row, column or table (${moved.length}), or changed (${changed.length})`,
      'nothing opens it',
      '`src/server/secrets/secrets.test.ts`',
    ])
  })
})
