import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { closeKeyFile, syncToDisk, writeNewFile } from '../db/owner-only.ts'
import { formatSecretKeys, makeSecretKey, parseSecretKeys, type SecretKey } from './secret-key.ts'
import { SecretKeyError } from './secret-key-error.ts'

/** The keys in the file, or null when there is no such file. */
export async function readSecretKeyFile(file: string): Promise<SecretKey[] | null> {
  const text = readIfThere(file)
  if (text === null) return null
  closeKeyFile(file)
  const keys = await parseSecretKeys(text)
  if (keys === null)
    throw new SecretKeyError(
      `O arquivo ${file} não contém uma chave de segredos (JWK "oct" de 256 bits). Traga de volta a cópia que você guardou; se não há nenhuma, mova este arquivo e rode "npm run admin -- discard-secrets".`,
    )
  return keys
}

/** Of two processes that make the file at once, one makes it and both read the same. */
export async function makeSecretKeyFile(file: string): Promise<SecretKey[]> {
  const partial = partialName(file)
  const key = await makeSecretKey()
  try {
    writeNewFile(partial, await formatSecretKeys([key]))
    // Unlike a rename, a link never replaces what is there.
    linkSync(partial, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(file, error)
  } finally {
    rmSync(partial, { force: true })
  }
  syncToDisk(dirname(file))
  return (await readSecretKeyFile(file)) ?? []
}

/** At every moment the file holds either the former keys or the new ones. */
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
    throw new SecretKeyError(`Não foi possível ler o arquivo de chave ${file}: ${(error as Error).message}`)
  }
}

function partialName(file: string): string {
  return `${file}.${randomUUID()}.partial`
}

function cannotWrite(file: string, error: unknown): SecretKeyError {
  return new SecretKeyError(`Não foi possível gravar o arquivo de chave ${file}: ${(error as Error).message}`)
}
