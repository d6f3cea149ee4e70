import { chmodSync, copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { giveToFolderOwner, lockDataDirectory, syncToDisk } from '../data-directory.ts'
import { prepareDataDirectory, SQLITE_FILE } from '../database.ts'
import { BackupError } from '../errors.ts'
import { type BackupFacts, inspectBackup } from './backup.ts'
import { decryptFile, isEncrypted } from './encryption.ts'

interface RestoreOptions {
  dataDir: string
  backup: string
  /** File with the secret age keys of an encrypted backup. */
  identityFile?: string | undefined
  /** Replaces an existing database. */
  force: boolean
  /** Throws to refuse the backup before anything is replaced. */
  accept: (facts: BackupFacts) => Promise<void>
}

/** Replaces the database, which must not be in use, with a backup; it is on disk when this returns. */
export async function restoreDatabase(options: RestoreOptions): Promise<BackupFacts> {
  const { dataDir, backup, force, accept } = options
  refuseEmpty(backup)
  const target = join(prepareDataDirectory(dataDir), SQLITE_FILE)
  const incoming = `${target}.incoming`
  const unlock = lockDataDirectory(dataDir)
  try {
    if (existsSync(target) && !force)
      throw new BackupError(
        `Já existe um banco de dados em ${dataDir}. Para substituir, rode de novo com --force.`,
      )
    if (isEncrypted(backup)) await decryptOwnerOnly(backup, incoming, options.identityFile)
    else copyOwnerOnly(backup, incoming)
    // The copy is inspected: it cannot change before it takes its place.
    const facts = inspectBackup(incoming, backup)
    await accept(facts)
    syncToDisk(incoming)
    settle(target)
    renameSync(incoming, target)
    syncToDisk(dataDir)
    return facts
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(incoming + suffix, { force: true })
    unlock()
  }
}

function refuseEmpty(backup: string): void {
  const facts = statSync(backup, { throwIfNoEntry: false })
  if (facts === undefined) throw new BackupError(`O arquivo ${backup} não existe. Confira o caminho.`)
  if (!facts.isFile()) throw new BackupError(`${backup} não é um arquivo. Confira o caminho.`)
  if (facts.size === 0)
    throw new BackupError(`O arquivo ${backup} está vazio (0 bytes). Copie o backup de novo ou use outro.`)
}

async function decryptOwnerOnly(from: string, to: string, identityFile: string | undefined): Promise<void> {
  if (identityFile === undefined)
    throw new BackupError(
      `O backup ${from} está criptografado. Informe a chave secreta age: --identity ARQUIVO`,
    )
  rmSync(to, { force: true })
  await decryptFile(from, to, identityFile)
  giveToFolderOwner(to)
}

function copyOwnerOnly(from: string, to: string): void {
  try {
    copyFileSync(from, to)
    chmodSync(to, 0o600)
    giveToFolderOwner(to)
  } catch (error) {
    throw new BackupError(
      `Não foi possível copiar o arquivo ${from}: ${(error as Error).message}. Confira as permissões e o espaço em disco.`,
    )
  }
}

/**
 * The former database's log must not be replayed into the restored one. It is first written into the former: if the
 * power fails before the restored one is in place, the former is complete.
 */
function settle(former: string): void {
  if (existsSync(former)) {
    try {
      const database = new DatabaseSync(former, { timeout: 5000 })
      database.exec('pragma wal_checkpoint(truncate)')
      database.close()
      syncToDisk(former)
    } catch {
      // It is damaged, which may be why it is replaced.
    }
  }
  for (const suffix of ['-wal', '-shm']) rmSync(former + suffix, { force: true })
}
