import { randomBytes, randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose'
import { closeKeyFile, syncToDisk, touchOwnerOnly, writeNewFile } from '../db/data-directory.ts'
import { OperatorError } from '../operator-error.ts'

/** One command at a time changes a key file. The operating system holds the lock, which ends with the process. */
export function holdFileLock(keyFile: string): () => void {
  const file = `${keyFile}.lock`
  const lock = openLock(file)
  try {
    lock.exec('begin exclusive')
  } catch {
    lock.close()
    throw new SecretKeyError(
      `Outro comando está trocando a chave em ${keyFile}. Espere ele terminar e rode de novo.`,
    )
  }
  return () => lock.close()
}

function openLock(file: string): DatabaseSync {
  try {
    touchOwnerOnly(file)
    return new DatabaseSync(file, { timeout: 0 })
  } catch (error) {
    throw new SecretKeyError(
      `Não foi possível gravar na pasta do arquivo de chave: ${(error as Error).message}. Confira as permissões.`,
    )
  }
}

/** The keys of the file, read again if a requested one is missing: an operator may have changed it. */
export class SecretKeyRing {
  readonly file: string
  #keys: readonly SecretKey[]

  constructor(file: string, keys: readonly SecretKey[]) {
    this.file = file
    this.#keys = keys
  }

  /** The key for an empty database. */
  get first(): SecretKey {
    const [first] = this.#keys
    if (first === undefined)
      throw new SecretKeyError(
        `O arquivo de chave ${this.file} não existe. Copie a chave guardada ou crie uma: npm run admin -- make-secret-key ${this.file}`,
      )
    return first
  }

  async find(id: string): Promise<SecretKey> {
    const known = this.#keys.find((key) => key.id === id)
    if (known !== undefined) return known
    this.#keys = (await readSecretKeyFile(this.file)) ?? []
    return this.require(id)
  }

  /** Without reading the file again. */
  require(id: string): SecretKey {
    const key = this.#keys.find((candidate) => candidate.id === id)
    if (key === undefined) throw otherKey(this.file, id, this.#keys)
    return key
  }
}

function otherKey(file: string, wanted: string, found: readonly SecretKey[]): SecretKeyError {
  const there = found.length === 0 ? 'não existe' : `tem a chave ${found.map((key) => key.id).join(', ')}`
  return new SecretKeyError(
    `Os segredos deste banco usam a chave ${wanted}, mas o arquivo ${file} ${there}. Nada foi alterado.
Copie para lá o arquivo com a chave ${wanted}. Se ela foi perdida, descarte os segredos: npm run admin -- discard-secrets`,
  )
}

/** The keys in the file, or null if there is no file. */
export async function readSecretKeyFile(file: string): Promise<SecretKey[] | null> {
  const text = readIfThere(file)
  if (text === null) return null
  closeKeyFile(file)
  const keys = await parseSecretKeys(text)
  if (keys === null)
    throw new SecretKeyError(
      `O arquivo ${file} não tem uma chave de segredos válida (JWK "oct" de 256 bits). Copie a chave que você guardou. Se não houver cópia, mova este arquivo e rode: npm run admin -- discard-secrets`,
    )
  return keys
}

/** Of two processes that create the file, one does and both read the same. */
export async function makeSecretKeyFile(file: string): Promise<SecretKey[]> {
  const partial = partialName(file)
  const key = await makeSecretKey()
  try {
    writeNewFile(partial, await formatSecretKeys([key]))
    // Unlike a rename, a link never replaces an existing file.
    linkSync(partial, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(file, error)
  } finally {
    rmSync(partial, { force: true })
  }
  syncToDisk(dirname(file))
  return (await readSecretKeyFile(file)) ?? []
}

/** At every moment the file contains either the former keys or the new ones. */
export async function replaceSecretKeyFile(file: string, keys: readonly SecretKey[]): Promise<void> {
  const partial = partialName(file)
  try {
    writeNewFile(partial, await formatSecretKeys(keys))
    renameSync(partial, file)
    syncToDisk(dirname(file))
  } catch (error) {
    throw cannotWrite(file, error)
  } finally {
    rmSync(partial, { force: true })
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new SecretKeyError(
      `Não foi possível ler o arquivo de chave ${file}: ${(error as Error).message}. Confira as permissões.`,
    )
  }
}

function partialName(file: string): string {
  return `${file}.${randomUUID()}.partial`
}

function cannotWrite(file: string, error: unknown): SecretKeyError {
  return new SecretKeyError(
    `Não foi possível gravar o arquivo de chave ${file}: ${(error as Error).message}. Confira as permissões.`,
  )
}

/** About the key or the secrets that it encrypts. */
export class SecretKeyError extends OperatorError {
  override readonly name = 'SecretKeyError'
}

const KEY_BYTES = 32

export interface SecretKey {
  /** The key's thumbprint (RFC 7638). It reveals nothing about a random key of this length. */
  readonly id: string
  readonly bytes: Uint8Array
}

export async function makeSecretKey(): Promise<SecretKey> {
  return fromBytes(new Uint8Array(randomBytes(KEY_BYTES)))
}

/** A key set (RFC 7517). */
async function formatSecretKeys(keys: readonly SecretKey[]): Promise<string> {
  const list = keys.map(async ({ id, bytes }) => ({ ...(await exportJWK(bytes)), kid: id, alg: 'A256GCM' }))
  return `${JSON.stringify({ keys: await Promise.all(list) }, null, 2)}\n`
}

/** Accepts a key set or a single key; null if it is neither. Messages must not contain what was read. */
async function parseSecretKeys(text: string): Promise<SecretKey[] | null> {
  try {
    const content = JSON.parse(text) as { keys?: JWK[] } & JWK
    const keys = await Promise.all((content.keys ?? [content]).map(fromJwk))
    return keys.length > 0 ? keys : null
  } catch {
    return null
  }
}

function fromJwk({ kty, k }: JWK): Promise<SecretKey> {
  const bytes = new Uint8Array(Buffer.from(k ?? '', 'base64url'))
  if (kty !== 'oct' || bytes.length !== KEY_BYTES) throw new Error('not a key of 256 bits')
  return fromBytes(bytes)
}

async function fromBytes(bytes: Uint8Array): Promise<SecretKey> {
  return { id: await calculateJwkThumbprint(await exportJWK(bytes)), bytes }
}
