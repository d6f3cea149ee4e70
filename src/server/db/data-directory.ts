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
 * One server per SQLite database. The operating system holds the lock, which ends with the process; the file beside it
 * only names the holder.
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
    throw new OperatorError(
      `A pasta ${directory} já está em uso por ${describeHolder(holderFile)}. Pare esse servidor ou escolha outra pasta em DATA_DIR.`,
    )
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

/** Removes all rights of others, or says why that is impossible. Windows stores rights elsewhere. */
export function makeOwnerOnly(path: string): void {
  if (process.platform === 'win32') return
  const before = statIfThere(path)
  if (before === undefined || isClosed(before)) return
  try {
    chmodSync(path, before.isDirectory() ? FOLDER_MODE : FILE_MODE)
  } catch (error) {
    throw new OperatorError(
      `Outros usuários podem ler ${path}, e não foi possível mudar a permissão: ${reasonOf(error, before)}. Rode: chmod 600 ${path} (700 se for pasta)`,
    )
  }
  const after = statIfThere(path)
  // Some file systems (FAT, network shares) accept the call and do nothing.
  if (after !== undefined && !isClosed(after))
    throw new OperatorError(
      `Outros usuários podem ler ${path}, e este sistema de arquivos não guarda permissões. Use outra pasta em DATA_DIR.`,
    )
}

/** An operator's key file. Orchestrators mount it as another user's, readable by a group, which is accepted. */
export function closeKeyFile(path: string): void {
  const { mode, uid } = statSync(path)
  if (uid === process.geteuid?.() || (mode & EVERYONE) !== 0) makeOwnerOnly(path)
}

/**
 * Creates a folder and its parents. Node's recursive `mkdir` never ends where nothing can be created, as under /proc.
 */
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

/** A folder and the files directly in it. */
export function makeFolderOwnerOnly(folder: string): void {
  if (statIfThere(folder) === undefined) return
  makeOwnerOnly(folder)
  for (const name of readdirSync(folder)) makeOwnerOnly(join(folder, name))
}

/** Creates an empty file readable by its owner only, whatever the umask; an existing one is closed. */
export function touchOwnerOnly(path: string): void {
  closeSync(openSync(path, 'a', FILE_MODE))
  makeOwnerOnly(path)
}

/** A new file, on disk when this returns. */
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

/** A file created by root in the folder of another user would be unreadable for the server. */
export function giveToFolderOwner(path: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  chownSync(path, uid, gid)
}

/** Syncs a file's content, or a folder's list of names, to disk. */
export function syncToDisk(path: string): void {
  const isWindows = process.platform === 'win32'
  // On Windows a folder cannot be opened, and need not be.
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
    : `o dono é o usuário ${uid}, e este processo roda como ${own}`
}
