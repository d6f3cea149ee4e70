import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { type SecretKey, SecretKeyError, type SecretKeyRing } from './secret-key.ts'

/** Encrypts texts in the database. It follows a key rotation while the process runs. */
export class SecretBox implements Secrets {
  readonly #ring: SecretKeyRing

  constructor(ring: SecretKeyRing) {
    this.#ring = ring
  }

  async encrypt(trx: Db, place: SecretPlace, text: string): Promise<string> {
    const id = await lockKeyId(trx, 'share')
    if (id === null)
      throw new SecretKeyError('O banco de dados não tem chave de segredos. Rode: npm run doctor')
    return encryptWith(await this.#ring.find(id), place, text)
  }

  async decrypt(place: SecretPlace, encrypted: string): Promise<string> {
    return decryptWith(await this.#ring.find(kidOf(encrypted)), place, encrypted)
  }

  /** Null if no available key decrypts it. */
  async tryDecrypt(place: SecretPlace, encrypted: string): Promise<string | null> {
    return this.decrypt(place, encrypted).catch(() => null)
  }
}

function kidOf(encrypted: string): string {
  const { kid } = decodeProtectedHeader(encrypted)
  if (typeof kid !== 'string') throw new Error('the encrypted text names no key')
  return kid
}

/** The id of the current key; null before the first one, and in older databases. */
export async function readKeyId(db: Db): Promise<string | null> {
  if (!(await hasKeyTable(db))) return null
  const row = await db.selectFrom('secret_key').select('key_id').executeTakeFirst()
  return row?.key_id ?? null
}

/** The same, locked until the transaction ends. SQLite's transactions exclude each other anyway. */
export async function lockKeyId(trx: Db, mode: 'share' | 'update'): Promise<string | null> {
  const query = trx.selectFrom('secret_key').select('key_id')
  const locking = engineOf(trx) === 'sqlite' ? query : mode === 'share' ? query.forShare() : query.forUpdate()
  return (await locking.executeTakeFirstOrThrow()).key_id
}

export async function storeKeyId(trx: Db, id: string, clearedAt: string | null): Promise<void> {
  await trx.updateTable('secret_key').set({ key_id: id, leftovers_cleared_at: clearedAt }).execute()
}

async function hasKeyTable(db: Db): Promise<boolean> {
  const query =
    engineOf(db) === 'sqlite'
      ? sql<{ there: number }>`select count(*) as there from sqlite_master where name = 'secret_key'`
      : sql<{ there: number }>`select count(to_regclass('secret_key')) as there`
  return Number((await query.execute(db)).rows[0]?.there) > 0
}

/** Encrypts for one row: the place is in the protected header, so that moving the text breaks it. */
export function encryptWith(key: SecretKey, place: SecretPlace, text: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: key.id, place: nameOf(place) })
    .encrypt(key.bytes)
}

/** Throws if the text was encrypted with another key or for another place, or was changed. */
export async function decryptWith(key: SecretKey, place: SecretPlace, encrypted: string): Promise<string> {
  const { plaintext, protectedHeader } = await compactDecrypt(encrypted, key.bytes, {
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
  })
  if (protectedHeader.place !== nameOf(place)) throw new Error('the encrypted text belongs to another row')
  return new TextDecoder().decode(plaintext)
}

function nameOf({ table, column, row }: SecretPlace): string {
  return `${table}.${column}/${row}`
}

/** The row that an encrypted text belongs to: it cannot be decrypted in any other. */
export interface SecretPlace {
  table: string
  column: string
  row: string
}

/** Passed by `app.ts` to modules that store secrets. */
export interface Secrets {
  /** Pass the transaction that stores the text, so that no key rotation comes in between. */
  encrypt(trx: Db, place: SecretPlace, text: string): Promise<string>
  decrypt(place: SecretPlace, encrypted: string): Promise<string>
}
