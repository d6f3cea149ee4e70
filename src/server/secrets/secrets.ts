import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { type SecretKey, SecretKeyError, type SecretKeyRing } from './secret-key.ts'

/** Keeps texts unreadable in the database. It follows a change of key while the process runs. */
export class SecretBox implements Secrets {
  readonly #ring: SecretKeyRing

  constructor(ring: SecretKeyRing) {
    this.#ring = ring
  }

  async seal(trx: Db, place: SecretPlace, text: string): Promise<string> {
    const id = await lockKeyId(trx, 'share')
    if (id === null) throw new SecretKeyError('O banco de dados não tem chave de segredos.')
    return encryptWith(await this.#ring.find(id), place, text)
  }

  async open(place: SecretPlace, sealed: string): Promise<string> {
    return openWith(await this.#ring.find(kidOf(sealed)), place, sealed)
  }

  /** Null for what no key at hand opens. */
  async tryOpen(place: SecretPlace, sealed: string): Promise<string | null> {
    return this.open(place, sealed).catch(() => null)
  }
}

function kidOf(sealed: string): string {
  const { kid } = decodeProtectedHeader(sealed)
  if (typeof kid !== 'string') throw new Error('a sealed text names no key')
  return kid
}

/** The id of the key in force; null before the first one, and in a database of a version that knew none. */
export async function readKeyId(db: Db): Promise<string | null> {
  if (!(await hasKeyTable(db))) return null
  const row = await db.selectFrom('secret_key').select('key_id').executeTakeFirst()
  return row?.key_id ?? null
}

/** The same, and it stays so until the transaction ends. SQLite's transactions exclude one another anyway. */
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

/** Encrypts for one row: the place is in the protected header, so whoever moves the text to another row breaks it. */
export function encryptWith(key: SecretKey, place: SecretPlace, text: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: key.id, place: nameOf(place) })
    .encrypt(key.bytes)
}

/** Throws when the text was sealed with another key, for another place, or changed since. */
async function openWith(key: SecretKey, place: SecretPlace, sealed: string): Promise<string> {
  const { plaintext, protectedHeader } = await compactDecrypt(sealed, key.bytes, {
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
  })
  if (protectedHeader.place !== nameOf(place))
    throw new Error('a sealed text lies in a row that is not its own')
  return new TextDecoder().decode(plaintext)
}

function nameOf({ table, column, row }: SecretPlace): string {
  return `${table}.${column}/${row}`
}

/** The one row that a sealed text belongs to: it cannot be read in any other. */
export interface SecretPlace {
  table: string
  column: string
  row: string
}

/** What `app.ts` hands to a service that keeps something secret in the database. */
export interface Secrets {
  /** Pass the transaction that stores the text, so that no change of key comes between the two. */
  seal(trx: Db, place: SecretPlace, text: string): Promise<string>
  open(place: SecretPlace, sealed: string): Promise<string>
}
