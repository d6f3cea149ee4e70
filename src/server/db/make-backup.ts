import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { backupDatabase, type MadeBackup } from './backup.ts'
import { BackupError } from './backup-error.ts'
import { encryptFile } from './encrypted-file.ts'
import { syncToDisk } from './owner-only.ts'

/** A backup that was opened, checked and counted; with a recipient, only then encrypted, and nothing plain stays. */
export async function makeBackup(
  dataDir: string,
  target: string,
  recipient: string | null,
): Promise<MadeBackup> {
  if (recipient === null) return backupDatabase(dataDir, target)
  if (existsSync(target)) throw new BackupError(`O arquivo ${target} já existe; escolha outro nome.`)
  const [plain, partial] = [`${target}.plain`, `${target}.partial`]
  try {
    rmSync(plain, { force: true })
    const facts = backupDatabase(dataDir, plain)
    await encryptFile(plain, partial, recipient)
    syncToDisk(partial)
    renameSync(partial, target)
    syncToDisk(dirname(target))
    return facts
  } finally {
    for (const file of [plain, partial]) rmSync(file, { force: true })
  }
}
