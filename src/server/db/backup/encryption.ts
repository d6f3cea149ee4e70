import { closeSync, createReadStream, createWriteStream, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { BackupError, describeFault } from '../errors.ts'

/** How the library says that none of the keys is the recipient's; everything else is about the file itself. */
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

/** Whoever holds the recipient's secret key can read the result, with this program or with `age -d`. */
export async function encryptFile(from: string, to: string, recipient: string): Promise<void> {
  // Loaded when it is used: most processes never are asked for it.
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  try {
    encrypter.addRecipient(recipient)
  } catch {
    throw new BackupError(
      'A chave pública age (BACKUP_RECIPIENT) não é válida: confira se foi copiada inteira.',
    )
  }
  const encrypted = await encrypter.encrypt(toWeb(from))
  await (encrypted as globalThis.ReadableStream<Uint8Array>).pipeTo(toWritable(to))
}

/** `identityFile` is what `age-keygen` writes: comments, and lines that begin with AGE-SECRET-KEY. */
export async function decryptFile(from: string, to: string, identityFile: string): Promise<void> {
  const { Decrypter } = await import('age-encryption')
  const identities = await readIdentities(identityFile)
  const decrypter = new Decrypter()
  try {
    for (const identity of identities) decrypter.addIdentity(identity)
  } catch {
    throw new BackupError(`O arquivo ${identityFile} tem uma chave secreta age incompleta: copie-o de novo.`)
  }
  try {
    const decrypted = await decrypter.decrypt(toWeb(from))
    await (decrypted as globalThis.ReadableStream<Uint8Array>).pipeTo(toWritable(to))
  } catch (error) {
    const { message } = error as Error
    if (describeFault(error) !== null) throw error
    throw new BackupError(
      message === NO_MATCH
        ? `O backup ${from} não abre com as chaves de ${identityFile}. Use a chave secreta do destinatário para quem ele foi cifrado.`
        : `O backup ${from} está incompleto ou danificado (${message}). Copie-o de novo da origem ou use outro backup.`,
    )
  }
}

async function readIdentities(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(`O arquivo de chaves ${file} não pode ser lido (${error.code}).`)
  })
  const identities = text.split(/\r?\n/).filter((line) => line.startsWith('AGE-SECRET-KEY-'))
  if (identities.length === 0)
    throw new BackupError(`O arquivo ${file} não contém nenhuma chave secreta age (AGE-SECRET-KEY-…).`)
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
