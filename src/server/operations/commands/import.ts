/** `npm run import -- FILE [--force] [--discard-secrets]`: an export of either engine into the one of this configuration. */
import { createReadStream, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { formatCount } from '#contract/format-count.ts'
import type { Config } from '#server/config.ts'
import { lockDataDirectory } from '#server/db/data-directory.ts'
import { openDatabase, prepareDataDirectory } from '#server/db/database.ts'
import { BackupError } from '#server/db/errors.ts'
import { migrate } from '#server/db/migrate.ts'
import { importRows } from '#server/db/transfer/import.ts'
import { requireKey } from './require-key.ts'
import { readArguments, runCommand, UsageError, withDatabase } from './run-command.ts'
import { discardUnreadable } from './secret-key.ts'

const USAGE = 'Uso: npm run import -- ARQUIVO [--force] [--discard-secrets]'

await runCommand(async ({ args, config: readConfig }) => {
  const { positionals, values } = readArguments(args, {
    usage: USAGE,
    options: {
      force: { type: 'boolean', default: false },
      'discard-secrets': { type: 'boolean', default: false },
    },
    names: 1,
  })
  const [name] = positionals
  if (name === undefined) throw new UsageError(USAGE)
  const file = resolve(name)
  if (!existsSync(file)) throw new BackupError(`O arquivo ${file} não existe. Confira o caminho.`)
  const config = readConfig()
  const discard = values['discard-secrets']
  const rows = await importInto(config, file, values.force, discard)
  console.log(`${formatCount(rows, 'linha importada', 'linhas importadas')} de ${file}. Inicie o servidor.`)
  if (discard) await withDatabase(config, discardUnreadable)
})

/** The embedded database must not be in use; of PostgreSQL's processes nobody here can know. */
async function importInto(config: Config, file: string, force: boolean, discard: boolean): Promise<number> {
  const embedded = config.databaseUrl === null
  const unlock = embedded ? lockDataDirectory(prepareDataDirectory(config.dataDir)) : () => {}
  const { db, close } = openDatabase(config)
  try {
    await migrate(db)
    return await importRows(db, {
      lines: () => createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY }),
      force,
      accept: async ({ keyId }) =>
        discard ? undefined : requireKey(config, keyId, { source: file, verb: 'importe' }),
    })
  } finally {
    await close()
    unlock()
  }
}
