import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../operator-error.ts'

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

const FILE_MODE = 0o600

const FOLDER_MODE = 0o700

const NOT_THE_OWNER = 0o077

const EVERYONE = 0o007

/** Takes every right from everyone but the owner, or says why that cannot be done. Windows keeps rights elsewhere. */
export function makeOwnerOnly(path: string): void {
  if (process.platform === 'win32') return
  const before = statIfThere(path)
  if (before === undefined || isClosed(before)) return
  try {
    chmodSync(path, before.isDirectory() ? FOLDER_MODE : FILE_MODE)
  } catch (error) {
    throw new OperatorError(
      `${path} está aberto a outros usuários e não pode ser fechado: ${reasonOf(error, before)}`,
    )
  }
  const after = statIfThere(path)
  // Some file systems (FAT, network shares) take the call and do nothing.
  if (after !== undefined && !isClosed(after))
    throw new OperatorError(
      `${path} está aberto a outros usuários, e este sistema de arquivos não guarda permissões`,
    )
}

/** A key that an operator keeps. Orchestrators mount it as another user's, for a group to read: that alone is let pass. */
export function closeKeyFile(path: string): void {
  const { mode, uid } = statSync(path)
  if (uid === process.geteuid?.() || (mode & EVERYONE) !== 0) makeOwnerOnly(path)
}

/** Makes a folder and those above it. Node's recursive `mkdir` never ends where nothing can be made, as under /proc. */
export function makeFolder(path: string): void {
  if (statIfThere(path)?.isDirectory() === true) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: FOLDER_MODE })
  } catch (error) {
    // Another process may have been first.
    if (statIfThere(path)?.isDirectory() !== true) throw error
  }
}

/** A folder and what is directly in it. */
export function makeFolderOwnerOnly(folder: string): void {
  if (statIfThere(folder) === undefined) return
  makeOwnerOnly(folder)
  for (const name of readdirSync(folder)) makeOwnerOnly(join(folder, name))
}

/** Makes an empty file that is the owner's alone from its first moment, whatever the umask; one that exists is closed. */
export function touchOwnerOnly(path: string): void {
  closeSync(openSync(path, 'a', FILE_MODE))
  makeOwnerOnly(path)
}

/** A new file, on the disk when this returns. */
export function writeNewFile(path: string, content: string): void {
  const file = openSync(path, 'wx', FILE_MODE)
  try {
    writeFileSync(file, content)
    giveToFolderOwner(path)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** What root makes in the folder of a server that is not root would be closed to that server. */
export function giveToFolderOwner(path: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  chownSync(path, uid, gid)
}

/** A file's content, or a folder's list of names, is on the disk when this returns. */
export function syncToDisk(path: string): void {
  const isWindows = process.platform === 'win32'
  // There a folder cannot be opened, and need not be.
  if (isWindows && statSync(path).isDirectory()) return
  const handle = openSync(path, isWindows ? 'r+' : 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function statIfThere(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

function isClosed({ mode }: Stats): boolean {
  return (mode & NOT_THE_OWNER) === 0
}

function reasonOf(error: unknown, { uid }: Stats): string {
  const own = process.geteuid?.()
  return uid === own
    ? (error as Error).message
    : `pertence ao usuário de número ${uid}, e este processo é do ${own}`
}
