import { closeSync, createReadStream, createWriteStream, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { BackupError, describeFault } from '../errors.ts'

/** The library's message when no key matches; every other error is about the file itself. */
const NO_MATCH = "no identity matched any of the file's recipients"
/** The first line of every age file (age-encryption.org/v1). */
const HEADER = 'age-encryption.org/v1\n'

export function isEncrypted(file: string): boolean {
  const head = Buffer.alloc(HEADER.length)
  const handle = openSync(file, 'r')
  try {
    readSync(handle, head, 0, head.length, 0)
  } finally {
    closeSync(handle)
  }
  return head.toString('latin1') === HEADER
}

/** Whoever has the recipient's secret key can read the result, with this program or with `age -d`. */
export async function encryptFile(from: string, to: string, recipient: string): Promise<void> {
  // Loaded on demand: most processes never need it.
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  try {
    encrypter.addRecipient(recipient)
  } catch {
    throw new BackupError(
      'A chave pública age (BACKUP_RECIPIENT) não é válida. Confira se ela foi copiada inteira.',
    )
  }
  const encrypted = await encrypter.encrypt(toWeb(from))
  await (encrypted as globalThis.ReadableStream<Uint8Array>).pipeTo(toWritable(to))
}

/** `identityFile` is the output of `age-keygen`: comments, and lines that begin with AGE-SECRET-KEY. */
export async function decryptFile(from: string, to: string, identityFile: string): Promise<void> {
  const { Decrypter } = await import('age-encryption')
  const identities = await readIdentities(identityFile)
  const decrypter = new Decrypter()
  try {
    for (const identity of identities) decrypter.addIdentity(identity)
  } catch {
    throw new BackupError(
      `O arquivo ${identityFile} tem uma chave secreta age incompleta. Copie o arquivo de novo.`,
    )
  }
  try {
    const decrypted = await decrypter.decrypt(toWeb(from))
    await (decrypted as globalThis.ReadableStream<Uint8Array>).pipeTo(toWritable(to))
  } catch (error) {
    const { message } = error as Error
    if (describeFault(error) !== null) throw error
    throw new BackupError(
      message === NO_MATCH
        ? `As chaves de ${identityFile} não abrem o backup ${from}. Use a chave secreta que corresponde à chave pública do backup.`
        : `O backup ${from} está incompleto ou danificado (${message}). Copie o arquivo de novo ou use outro backup.`,
    )
  }
}

async function readIdentities(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(
      `Não foi possível ler o arquivo de chaves ${file} (${error.code}). Confira o caminho e as permissões.`,
    )
  })
  const identities = text.split(/\r?\n/).filter((line) => line.startsWith('AGE-SECRET-KEY-'))
  if (identities.length === 0)
    throw new BackupError(
      `O arquivo ${file} não tem uma chave secreta age (AGE-SECRET-KEY-…). Confira o arquivo.`,
    )
  return identities
}

function toWeb(file: string): globalThis.ReadableStream<Uint8Array> {
  return Readable.toWeb(
    createReadStream(file),
  ) as ReadableStream<Uint8Array> as globalThis.ReadableStream<Uint8Array>
}

function toWritable(file: string): WritableStream<Uint8Array> {
  return Writable.toWeb(createWriteStream(file, { mode: 0o600 })) as WritableStream<Uint8Array>
}
