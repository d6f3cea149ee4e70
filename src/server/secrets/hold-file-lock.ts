import { DatabaseSync } from 'node:sqlite'
import { touchOwnerOnly } from '../db/owner-only.ts'
import { SecretKeyError } from './secret-key-error.ts'

/** One command at a time changes a key file. The operating system holds the lock: it is free when the process is gone. */
export function holdFileLock(keyFile: string): () => void {
  const file = `${keyFile}.lock`
  const lock = openLock(file)
  try {
    lock.exec('begin exclusive')
  } catch {
    lock.close()
    throw new SecretKeyError(`Outro comando está trocando a chave em ${keyFile}.`)
  }
  return () => lock.close()
}

function openLock(file: string): DatabaseSync {
  try {
    touchOwnerOnly(file)
    return new DatabaseSync(file, { timeout: 0 })
  } catch (error) {
    throw new SecretKeyError(`A pasta do arquivo de chave não pode ser escrita: ${(error as Error).message}`)
  }
}
