import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { migrate } from '../db/migrate.ts'
import { change } from '../db/transactions/change.ts'
import { makeSecretKeyFile, readSecretKeyFile, type SecretKey, SecretKeyRing } from './secret-key.ts'
import { encryptWith, lockKeyId, readKeyId, SecretBox, type SecretPlace, storeKeyId } from './secrets.ts'

/** Brings the database to the newest schema with everything secret sealed. With the wrong key it stops before it writes. */
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
        `O banco de dados é de uma versão mais nova deste programa (${newer.join(', ')}). Este processo continua com o que conhece; atualize-o.`,
      ),
    )
  await ring.find((await readKeyId(db)) ?? (await adoptFirstKey(db, ring)))
  // What is left over is no reason not to serve; the next start tries again.
  await clearLeftovers(db).catch((cause: unknown) => onProblem(leftoversRemain(cause)))
  return new SecretBox(ring)
}

/** `wanted` is the key that the database names: a new one is made only where there is none yet. */
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
 * The first start with a key: what lies open from an earlier version is sealed in the same transaction. Of two that come
 * at once one gives the database its key; both are told which it is.
 */
async function adoptFirstKey(db: Db, ring: SecretKeyRing): Promise<string> {
  return change(db, async (trx) => {
    const inForce = await lockKeyId(trx, 'update')
    if (inForce !== null) return inForce
    const key = ring.first
    const { sealed } = await reencryptAll(trx, key, async (_place, stored) => stored)
    await storeKeyId(trx, key.id, sealed === 0 ? new Date().toISOString() : null)
    return key.id
  })
}

/** What to say when the leftovers are still there. */
export function leftoversRemain(cause: unknown): Error {
  return new Error(
    `Restos do que estava gravado antes ainda não puderam ser apagados (${(cause as Error).message}); o próximo início tenta de novo.`,
    { cause },
  )
}

/**
 * An engine frees the space of what was overwritten without erasing it. This rewrites it, once after each sealing: until
 * it has worked, every start tries again.
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
 * `vacuum full` would keep the dead rows that some other session might still look at. A column whose type is given anew
 * makes PostgreSQL copy the living rows into a new file and drop the old one.
 */
async function rewriteTables(db: Db): Promise<void> {
  for (const { table, column } of SEALED_COLUMNS) {
    const name = sql.ref(column)
    await sql`alter table ${sql.table(table)} alter column ${name} type text using ${name} || ''`.execute(db)
  }
}

async function rewriteFile(db: Db): Promise<void> {
  await sql`vacuum`.execute(db)
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
  if (rows[0]?.busy !== 0) throw new Error('another process kept the write-ahead log from being emptied')
}

interface Reencrypted {
  sealed: number
  /** What `read` could not read: left as it was, for the caller to remove. */
  unreadable: SecretPlace[]
}

/** Seals everything secret with one key. `read` gives the text behind what is stored, or null when nothing can. */
export async function reencryptAll(
  trx: Db,
  key: SecretKey,
  read: (place: SecretPlace, stored: string) => Promise<string | null>,
): Promise<Reencrypted> {
  const result: Reencrypted = { sealed: 0, unreadable: [] }
  for (const { table, column, key: name } of SEALED_COLUMNS) {
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
      const sealed = await encryptWith(key, place, text)
      await sql`update ${from} set ${value} = ${sealed} where ${id} = ${row}`.execute(trx)
      result.sealed++
    }
  }
  return result
}

/** Every column that holds sealed texts, with the one that names its row. */
const SEALED_COLUMNS = [
  { table: 'auth_factors', column: 'secret', key: 'id' },
  { table: 'app_secrets', column: 'value', key: 'name' },
  { table: 'pixel_secrets', column: 'value', key: 'pixel_id' },
  // Of mails; null in other rows.
  { table: 'deliveries', column: 'sealed', key: 'id' },
] as const
