import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { type EngineName, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { fillAuthTables } from '#tests/support/every-table/fill-auth-tables.ts'
import { fillConsentTables } from '#tests/support/every-table/fill-consent-tables.ts'
import { fillTagTables, tokenPlace } from '#tests/support/every-table/fill-tag-tables.ts'
import { insertSecrets, openAll, textsOf } from '#tests/support/secret-rows.ts'
import type { Db } from '../database.ts'
import { TABLE_KEYS, TABLE_NAMES, type TableName } from '../schema/index.ts'
import { exportRows, LEFT_BEHIND, type Row, readPages } from './export.ts'
import { importRows } from './import.ts'

const opened: TestDatabase[] = []
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})

async function make(engine: EngineName): Promise<TestDatabase> {
  const database = await makeDatabase(engine)
  opened.push(database)
  return database
}

/** At least one row in every table, with values that engines may treat differently: empty, quotes, long texts, JSON. */
async function fill(database: TestDatabase): Promise<void> {
  const { db, secrets } = database
  await insertSecrets(db, secrets, 'ana@exemplo.com.br')
  const at = '2026-11-15T12:34:56.789Z'
  const person = await fillAuthTables(db, at)
  const pixel = await fillTagTables(database, person, at)
  await fillConsentTables(db, pixel, at)
}

async function rowsOf(db: Db): Promise<Record<string, Row[]>> {
  const all: Record<string, Row[]> = {}
  for (const table of TABLE_NAMES) {
    const rows: Row[] = []
    for await (const page of readPages(db, table)) rows.push(...page)
    // Engines sort texts differently.
    const keyOf = (row: Row) =>
      JSON.stringify(TABLE_KEYS[table as TableName].map((key) => row[key as string]))
    all[table] = rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  }
  return all
}

async function textOf(db: Db): Promise<string> {
  let text = ''
  for await (const part of exportRows(db)) text += part
  return text
}

const linesOf = (text: string) =>
  async function* () {
    yield* text.trimEnd().split('\n')
  }
const accept = async () => {}

test.each<[EngineName, EngineName]>([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
])('from %s to %s every row of every table is equal, and secrets can be decrypted', async (from, to) => {
  const source = await make(from)
  await fill(source)
  const before = await rowsOf(source.db)
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])
  const target = await make(to)
  expect(await textOf(source.db)).not.toContain('203.0.113.7')
  expect(await textOf(source.db)).not.toContain('left behind')
  for (const table of LEFT_BEHIND) before[table] = []
  const count = await importRows(target.db, { lines: linesOf(await textOf(source.db)), force: false, accept })
  expect(count).toBe(Object.values(before).reduce((sum, rows) => sum + rows.length, 0))
  expect(await rowsOf(target.db)).toEqual(before)
  const token = await target.db.selectFrom('pixel_secrets').selectAll().executeTakeFirstOrThrow()
  expect(await source.secrets.decrypt(tokenPlace(token.pixel_id), token.value)).toBe('EAAG-token')
  const secretRows = await insertSecrets(source.db, source.secrets)
  await importRows(target.db, { lines: linesOf(await textOf(source.db)), force: true, accept })
  expect(await openAll(target.db, source.secrets, secretRows)).toEqual(textsOf(secretRows))
})

test('refuses a database in use, another version, a cut or changed file, and other files', async () => {
  const source = await make('sqlite')
  await fill(source)
  const text = await textOf(source.db)
  const target = await make('sqlite')
  const tryWith = (changed: string) =>
    importRows(target.db, { lines: linesOf(changed), force: false, accept })
  const empty = await rowsOf(target.db)
  const lines = text.trimEnd().split('\n')
  await expect(tryWith(lines.slice(0, -1).join('\n'))).rejects.toThrow('incompleto')
  await expect(tryWith(text.slice(0, -200))).rejects.toThrow('incompleto')
  await expect(tryWith(text.replace('p7@exemplo', 'p8x@exemplo'))).rejects.toThrow('incompleto')
  await expect(tryWith('{"a":1}\n')).rejects.toThrow('não é uma exportação')
  await expect(tryWith(text.replace('"0001-auth",', ''))).rejects.toThrow('outro formato')
  const refuse = async () => Promise.reject(new Error('no key'))
  await expect(importRows(target.db, { lines: linesOf(text), force: false, accept: refuse })).rejects.toThrow(
    'no key',
  )
  expect(await rowsOf(target.db)).toEqual(empty)
  await expect(importRows(source.db, { lines: linesOf(text), force: false, accept })).rejects.toThrow(
    'já tem dados (auth_users)',
  )
})

test('includes every table of the migrations', async () => {
  const { db } = await make('sqlite')
  const tables = await db.introspection.getTables()
  expect(TABLE_NAMES.toSorted()).toEqual(tables.map(({ name }) => name).sort())
  for (const table of TABLE_NAMES) {
    const { rows } = await sql<{
      name: string
      pk: number
    }>`select name, pk from pragma_table_info(${table})`.execute(db)
    const key = rows.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    expect([table, ...key.map(({ name }) => name)]).toEqual([table, ...TABLE_KEYS[table]])
  }
})
