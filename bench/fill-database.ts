/** Fills a database of either engine with many rows: each statement makes its rows inside the database. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { openDatabase, SQLITE_FILE } from '../src/server/db/database.ts'
import { migrate } from '../src/server/db/migrate.ts'
import { makeSecretKeyFile } from '../src/server/secrets/secret-key.ts'

export interface Place {
  dataDir: string
  /** Null for SQLite. */
  databaseUrl: string | null
}

/** `SECRET_KEY_FILE` of a server on PostgreSQL. */
export const keyFileOf = (dataDir: string) => join(dataDir, 'secret.key')

/** Makes the folder and the tables, then runs the statements. */
export async function fillDatabase(
  { dataDir, databaseUrl }: Place,
  statements: (words: Words) => readonly string[],
): Promise<void> {
  mkdirSync(dataDir, { mode: 0o700, recursive: true })
  const { db, close } = openDatabase({ dataDir, databaseUrl })
  await migrate(db)
  await close()
  if (databaseUrl === null) {
    const database = new DatabaseSync(join(dataDir, SQLITE_FILE))
    database.exec('pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -2000000')
    for (const statement of statements(SQLITE_WORDS)) database.exec(statement)
    database.close()
    return
  }
  await makeSecretKeyFile(keyFileOf(dataDir))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  for (const statement of statements(POSTGRES_WORDS)) await client.query(statement)
  await client.query('vacuum analyze')
  await client.end()
}

export interface Words {
  /** A table `n (n)` with the numbers below `count`, in front of an insert. */
  numbers: (count: number) => string
  hex: (expression: string) => string
  uuid: (expression: string) => string
  /** From seconds since 1970. */
  time: (expression: string) => string
  json: (text: string) => string
  /** From a condition. */
  boolean: (condition: string) => string
}

const SQLITE_WORDS: Words = {
  numbers: (count) =>
    `with recursive n (n) as (select 0 union all select n + 1 from n where n < ${count - 1})`,
  hex: (expression) => `printf('%08x', ${expression})`,
  uuid: (expression) => expression,
  time: (expression) => `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${expression}, 'unixepoch')`,
  json: (text) => text,
  boolean: (condition) => condition,
}

const POSTGRES_WORDS: Words = {
  numbers: (count) => `with n (n) as (select generate_series(0::bigint, ${count - 1}))`,
  hex: (expression) => `lpad(to_hex(${expression}), 8, '0')`,
  uuid: (expression) => `cast(${expression} as uuid)`,
  time: (expression) => `to_timestamp(${expression})`,
  json: (text) => `cast(${text} as jsonb)`,
  boolean: (condition) => `(${condition})`,
}

/** An id of each `number` below 2^32, in the order of random ones: Knuth's multiplicative hash. */
export function spreadId({ hex, uuid }: Words, number: string, suffix = '000000000000'): string {
  return uuid(`${hex(`((${number}) * 2654435761) & 4294967295`)} || '-0000-4000-8000-${suffix}'`)
}

/** Records with checkpoints, some seconds apart. */
export function consentRecords(
  records: number,
  words: Words,
  { from, seconds } = { from: 1_700_000_000, seconds: 10 },
): string[] {
  const { numbers, time, json } = words
  const hash = 'ab'.repeat(32)
  return [
    `${numbers(records)} insert into consent_records
      (id, consent_id, action, categories, text_version, tag_set_version, created_at, schema_version, notice_hash, parties_hash, retention_days, leaf_position)
      select ${spreadId(words, 'n')}, ${spreadId(words, 'n', '000000000001')}, 'accept_all',
        ${json(`'["desempenho","funcionalidade","marketing"]'`)}, 1, 'abcdefghijklmnop',
        ${time(`${from} + n * ${seconds}`)}, 1, '${hash}', '${hash}', 1826, n from n`,
    `${numbers(records)} insert into consent_leaves (position, hash) select n, '${hash}' from n`,
    `${numbers(Math.floor(records / 256))} insert into consent_tree_nodes (level, position, hash) select 8, n, '${hash}' from n`,
    `${numbers(Math.floor(records / 65_536))} insert into consent_tree_nodes (level, position, hash) select 16, n, '${hash}' from n`,
    `update consent_tree set size = ${records}`,
  ]
}
