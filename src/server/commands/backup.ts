/** `npm run backup -- FILE` */
import { resolve } from 'node:path'
import { parseConfig, readEnvironment } from '../config.ts'
import { backupDatabase } from '../db/backup.ts'
import { BackupError } from '../db/backup-error.ts'
import { runCommand, UsageError } from './run-command.ts'

await runCommand(() => {
  const [file] = process.argv.slice(2)
  if (file === undefined) throw new UsageError('Uso: npm run backup -- ARQUIVO')
  const config = parseConfig(readEnvironment())
  if (config.databaseUrl !== null)
    throw new BackupError('Com PostgreSQL, use pg_dump: este comando é do banco embutido.')
  const { keyId } = backupDatabase(config.dataDir, resolve(file))
  console.log(`Backup gravado em ${resolve(file)}.`)
  if (keyId !== null)
    console.log(
      `A chave dos segredos, ${keyId}, não está nele: guarde uma cópia de ${config.secretKey.file} em outro lugar.`,
    )
})
