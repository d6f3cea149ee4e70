/** `npm run restore -- FILE [--force] [--discard-secrets]` */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, parseConfig, readEnvironment } from '../config.ts'
import { BackupError } from '../db/backup-error.ts'
import type { BackupFacts } from '../db/inspect-backup.ts'
import { restoreDatabase } from '../db/restore.ts'
import { readSecretKeyFile } from '../secrets/secret-key-file.ts'
import { runCommand, UsageError } from './run-command.ts'
import { discardUnreadable } from './secret-key.ts'

const USAGE = 'Uso: npm run restore -- ARQUIVO [--force] [--discard-secrets]'

await runCommand(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      force: { type: 'boolean', default: false },
      'discard-secrets': { type: 'boolean', default: false },
    },
  })
  const [file] = positionals
  if (file === undefined) throw new UsageError(USAGE)
  const config = parseConfig(readEnvironment())
  if (config.databaseUrl !== null)
    throw new BackupError('Com PostgreSQL, use pg_restore: este comando é do banco embutido.')
  const discard = values['discard-secrets']
  await restoreDatabase({
    dataDir: config.dataDir,
    backup: resolve(file),
    force: values.force,
    accept: async (facts) => (discard ? undefined : requireKey(config, facts, resolve(file))),
  })
  console.log(`Banco de dados restaurado de ${resolve(file)}.`)
  if (discard) await discardUnreadable(config)
})

async function requireKey({ secretKey }: Config, { keyId }: BackupFacts, backup: string): Promise<void> {
  if (keyId === null) return
  const keys = (await readSecretKeyFile(secretKey.file)) ?? []
  if (keys.some((key) => key.id === keyId)) return
  const there = keys.length === 0 ? 'não existe' : `contém a chave ${keys.map((key) => key.id).join(', ')}`
  throw new BackupError(
    `Os segredos de ${backup} foram cifrados com a chave ${keyId}, e o arquivo ${secretKey.file} ${there}. Nada foi alterado.
Ponha lá a cópia com a chave ${keyId} e restaure de novo. Se ela se perdeu, --discard-secrets restaura o resto e abre mão dos segredos.`,
  )
}
