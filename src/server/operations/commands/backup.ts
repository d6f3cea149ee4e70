/** `npm run backup -- FILE [--encrypt-to RECIPIENT]` */

import { resolve } from 'node:path'
import { formatCount } from '#contract/format-count.ts'
import { makeBackup } from '#server/db/backup/backup.ts'
import { BackupError } from '#server/db/errors.ts'
import { describeLeftBehind } from '#server/db/transfer/export.ts'
import { readArguments, runCommand, UsageError } from './run-command.ts'

const USAGE = 'Uso: npm run backup -- ARQUIVO [--encrypt-to CHAVE_PUBLICA_AGE]'

await runCommand(async ({ args, config: readConfig }) => {
  const { positionals, values } = readArguments(args, {
    usage: USAGE,
    options: { 'encrypt-to': { type: 'string' } },
    names: 1,
  })
  const [file] = positionals
  if (file === undefined) throw new UsageError(USAGE)
  const config = readConfig()
  if (config.databaseUrl !== null)
    throw new BackupError('Com PostgreSQL, use pg_dump: este comando é do banco embutido.')
  const recipient = values['encrypt-to'] ?? config.backup.recipient
  const { keyId, rows, tables, leftBehind } = await makeBackup(config.dataDir, resolve(file), recipient)
  console.log(
    `Backup gravado em ${resolve(file)}. Conferido: ${formatCount(rows, 'linha', 'linhas')} em ${formatCount(tables, 'tabela', 'tabelas')}.`,
  )
  console.log(describeLeftBehind(leftBehind))
  if (recipient !== null) console.log(`Cifrado para ${recipient}: só a chave secreta correspondente o abre.`)
  if (keyId !== null)
    console.log(
      `A chave dos segredos, ${keyId}, não está nele: guarde uma cópia de ${config.secretKey.file} em outro lugar.`,
    )
})
