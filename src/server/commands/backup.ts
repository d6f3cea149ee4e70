/** `npm run backup -- FILE [--encrypt-to RECIPIENT]` */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parseConfig, readEnvironment } from '../config.ts'
import { BackupError } from '../db/backup-error.ts'
import { makeBackup } from '../db/make-backup.ts'
import { runCommand, UsageError } from './run-command.ts'

await runCommand(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'encrypt-to': { type: 'string' } },
  })
  const [file] = positionals
  if (file === undefined)
    throw new UsageError('Uso: npm run backup -- ARQUIVO [--encrypt-to CHAVE_PUBLICA_AGE]')
  const config = parseConfig(readEnvironment())
  if (config.databaseUrl !== null)
    throw new BackupError('Com PostgreSQL, use pg_dump: este comando é do banco embutido.')
  const recipient = values['encrypt-to'] ?? config.backup.recipient
  const { keyId, rows, tables } = await makeBackup(config.dataDir, resolve(file), recipient)
  console.log(`Backup gravado em ${resolve(file)}. Conferido: ${rows} linhas em ${tables} tabelas.`)
  if (recipient !== null) console.log(`Cifrado para ${recipient}: só a chave secreta correspondente o abre.`)
  if (keyId !== null)
    console.log(
      `A chave dos segredos, ${keyId}, não está nele: guarde uma cópia de ${config.secretKey.file} em outro lugar.`,
    )
})
