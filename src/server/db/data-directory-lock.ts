import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../operator-error.ts'
import { touchOwnerOnly } from './owner-only.ts'

/**
 * One server per embedded database. The operating system holds the lock, so it is free again the moment the process
 * dies, however it dies; the file beside it only says who the holder is.
 */
export function lockDataDirectory(directory: string): () => void {
  const holderFile = join(directory, 'server.pid')
  const lockFile = join(directory, 'lock.db')
  touchOwnerOnly(lockFile)
  const lock = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
  } catch {
    lock.close()
    throw new OperatorError(`A pasta de dados ${directory} já está em uso por ${describeHolder(holderFile)}.`)
  }
  writeFileSync(holderFile, String(process.pid), { mode: 0o600 })
  return () => {
    rmSync(holderFile, { force: true })
    lock.close()
  }
}

function describeHolder(file: string): string {
  try {
    return `outro servidor Pórtico, processo ${readFileSync(file, 'utf8').trim()}`
  } catch {
    return 'outro servidor Pórtico'
  }
}
