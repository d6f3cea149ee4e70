import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { listBackups } from './backup-schedule.ts'
import { SQLITE_FILE } from './database.ts'

interface Place {
  dataDir: string
  secretKey: { file: string; makeIfAbsent: boolean }
  backup: { directory: string }
}

/**
 * Why an embedded database that is missing or empty must not be made anew: the key that an earlier start made, or
 * backups, say that a site was here. A new one would have another principal, and its backups would push the good ones
 * out. Null where nothing speaks against it.
 */
export function refuseEmptied({ dataDir, secretKey, backup }: Place): string | null {
  const file = join(dataDir, SQLITE_FILE)
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return null
  const backups = listBackups(backup.directory)
  const found = [
    // A key that the operator names may well be there before the first start.
    ...(secretKey.makeIfAbsent && existsSync(secretKey.file) ? [secretKey.file] : []),
    ...[`${file}-wal`].filter((log) => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0),
    ...(backups.length === 0
      ? []
      : [`${backups.length === 1 ? '1 backup' : `${backups.length} backups`} em ${backup.directory}`]),
  ]
  if (found.length === 0) return null
  const [newest] = backups
  return `O banco de dados ${file} ${existsSync(file) ? 'está vazio (0 bytes)' : 'não existe'}, mas já houve um site aqui: ${found.join(', ')}.
Para trazê-lo de volta: npm run restore -- ${newest?.file ?? 'ARQUIVO'} --force
Para começar um site novo, sem os dados do anterior: npm start -- --new-site`
}
