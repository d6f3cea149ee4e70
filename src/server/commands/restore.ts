/** `npm run restore -- FILE [--force]` */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parseConfig, readEnvironment } from '../config.ts'
import { BackupError, restoreDatabase } from '../db/backup.ts'
import { runCommand, UsageError } from './run-command.ts'

await runCommand(() => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { force: { type: 'boolean', default: false } },
  })
  const [file] = positionals
  if (file === undefined) throw new UsageError('Uso: npm run restore -- ARQUIVO [--force]')
  const config = parseConfig(readEnvironment())
  if (config.databaseUrl !== null)
    throw new BackupError('Com PostgreSQL, use pg_restore: este comando é do banco embutido.')
  restoreDatabase(config.dataDir, resolve(file), values.force)
  console.log(`Banco de dados restaurado de ${resolve(file)}.`)
})
