/** `npm run restore -- FILE [--force] [--identity FILE] [--discard-secrets]` */

import { resolve } from 'node:path'
import { formatCount } from '#contract/format-count.ts'
import { restoreDatabase } from '#server/db/backup/restore.ts'
import { BackupError } from '#server/db/errors.ts'
import { requireKey } from './require-key.ts'
import { readArguments, runCommand, UsageError, withDatabase } from './run-command.ts'
import { discardUnreadable } from './secret-key.ts'

const USAGE = 'Uso: npm run restore -- ARQUIVO [--force] [--identity ARQUIVO] [--discard-secrets]'

await runCommand(async ({ args, config: readConfig }) => {
  const { positionals, values } = readArguments(args, {
    usage: USAGE,
    options: {
      force: { type: 'boolean', default: false },
      identity: { type: 'string' },
      'discard-secrets': { type: 'boolean', default: false },
    },
    names: 1,
  })
  const [file] = positionals
  if (file === undefined) throw new UsageError(USAGE)
  const config = readConfig()
  if (config.databaseUrl !== null)
    throw new BackupError('Com PostgreSQL, use pg_restore: este comando é do banco embutido.')
  const discard = values['discard-secrets']
  const { missing, rows } = await restoreDatabase({
    dataDir: config.dataDir,
    backup: resolve(file),
    force: values.force,
    identityFile: values.identity === undefined ? undefined : resolve(values.identity),
    accept: async (facts) =>
      discard ? undefined : requireKey(config, facts.keyId, { source: resolve(file), verb: 'restaure' }),
  })
  console.log(`Banco de dados restaurado de ${resolve(file)}: ${formatCount(rows, 'linha', 'linhas')}.`)
  if (missing.length > 0)
    console.log(
      `O backup é de uma versão anterior: o próximo início do servidor atualiza o banco (${missing.join(', ')}).`,
    )
  if (discard) await withDatabase(config, discardUnreadable)
})
