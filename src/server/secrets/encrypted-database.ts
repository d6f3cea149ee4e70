import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { migrate } from '../db/migrate.ts'
import { change } from '../db/transactions/change.ts'
import { makeSecretKeyFile, readSecretKeyFile, type SecretKey, SecretKeyRing } from './secret-key.ts'
import { encryptWith, lockKeyId, readKeyId, SecretBox, type SecretPlace, storeKeyId } from './secrets.ts'

/** Migrates the database and encrypts all secrets. With the wrong key it stops before it writes. */
export async function prepareDatabase(
  { secretKey }: Pick<Config, 'secretKey'>,
  db: Db,
  onProblem: (problem: Error) => void,
): Promise<SecretBox> {
  const ring = await openKeyRing(secretKey, await readKeyId(db))
  const { newer } = await migrate(db)
  if (newer.length > 0)
    onProblem(
      new Error(
        `O banco é de uma versão mais nova do Pórtico (${newer.join(', ')}). Este processo continua funcionando, mas atualize assim que puder.`,
      ),
    )
  await ring.find((await readKeyId(db)) ?? (await adoptFirstKey(db, ring)))
  // Leftovers are no reason not to serve; the next start tries again.
  await clearLeftovers(db).catch((cause: unknown) => onProblem(leftoversRemain(cause)))
  return new SecretBox(ring)
}

/** `wanted` is the key id in the database: a new key is made only if there is none. */
export async function openKeyRing(
  { file, makeIfAbsent }: Config['secretKey'],
  wanted: string | null,
): Promise<SecretKeyRing> {
  const found = await readSecretKeyFile(file)
  const keys = found ?? (wanted === null && makeIfAbsent ? await makeSecretKeyFile(file) : [])
  const ring = new SecretKeyRing(file, keys)
  if (wanted !== null) ring.require(wanted)
  return ring
}

/**
 * The first start with a key: plain values of an earlier version are encrypted in the same transaction. Of two
 * processes, one sets the key; both learn which it is.
 */
async function adoptFirstKey(db: Db, ring: SecretKeyRing): Promise<string> {
  return change(db, async (trx) => {
    const inForce = await lockKeyId(trx, 'update')
    if (inForce !== null) return inForce
    const key = ring.first
    const { encrypted } = await reencryptAll(trx, key, async (_place, stored) => stored)
    await storeKeyId(trx, key.id, encrypted === 0 ? new Date().toISOString() : null)
    return key.id
  })
}

/** The message while leftovers exist. */
export function leftoversRemain(cause: unknown): Error {
  return new Error(
    `Ainda há dados antigos no disco que não puderam ser apagados (${(cause as Error).message}). O servidor tenta de novo quando reiniciar.`,
    { cause },
  )
}

/**
 * Engines free overwritten space without erasing it. This rewrites it after each encryption: until it has worked, every
 * start tries again.
 */
export async function clearLeftovers(db: Db): Promise<void> {
  const { leftovers_cleared_at } = await db
    .selectFrom('secret_key')
    .select('leftovers_cleared_at')
    .executeTakeFirstOrThrow()
  if (leftovers_cleared_at !== null) return
  if (engineOf(db) === 'sqlite') await rewriteFile(db)
  else await rewriteTables(db)
  await db.updateTable('secret_key').set({ leftovers_cleared_at: new Date().toISOString() }).execute()
}

/**
 * `vacuum full` would keep dead rows that another session may still see. Setting a column's type again makes PostgreSQL
 * copy the live rows into a new file.
 */
async function rewriteTables(db: Db): Promise<void> {
  for (const { table, column } of ENCRYPTED_COLUMNS) {
    const name = sql.ref(column)
    await sql`alter table ${sql.table(table)} alter column ${name} type text using ${name} || ''`.execute(db)
  }
}

async function rewriteFile(db: Db): Promise<void> {
  await sql`vacuum`.execute(db)
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
  if (rows[0]?.busy !== 0) throw new Error('another process kept the write-ahead log from being truncated')
}

interface Reencrypted {
  encrypted: number
  /** What `read` could not decrypt: left unchanged, for the caller to delete. */
  unreadable: SecretPlace[]
}

/** Encrypts all secrets with one key. `read` returns the plain text, or null if it cannot. */
export async function reencryptAll(
  trx: Db,
  key: SecretKey,
  read: (place: SecretPlace, stored: string) => Promise<string | null>,
): Promise<Reencrypted> {
  const result: Reencrypted = { encrypted: 0, unreadable: [] }
  for (const { table, column, key: name } of ENCRYPTED_COLUMNS) {
    const [from, value, id] = [sql.table(table), sql.ref(column), sql.ref(name)]
    const { rows } = await sql<{ row: string; stored: string }>`
      select ${id} as row, ${value} as stored from ${from} where ${value} is not null
    `.execute(trx)
    for (const { row, stored } of rows) {
      const place = { table, column, row }
      const text = await read(place, stored)
      if (text === null) {
        result.unreadable.push(place)
        continue
      }
      const encrypted = await encryptWith(key, place, text)
      await sql`update ${from} set ${value} = ${encrypted} where ${id} = ${row}`.execute(trx)
      result.encrypted++
    }
  }
  return result
}

/** Every encrypted column, with the column that identifies its row. */
const ENCRYPTED_COLUMNS = [
  { table: 'auth_factors', column: 'secret', key: 'id' },
  { table: 'app_secrets', column: 'value', key: 'name' },
  { table: 'pixel_secrets', column: 'value', key: 'pixel_id' },
  // For emails; null in other rows.
  { table: 'deliveries', column: 'sealed', key: 'id' },
  { table: 'visit_secrets', column: 'secret', key: 'day' },
  { table: 'alert_webhooks', column: 'url', key: 'name' },
] as const
