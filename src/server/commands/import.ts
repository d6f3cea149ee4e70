/** `npm run import -- FILE [--force] [--discard-secrets]`: an export of either engine into the one of this configuration. */
import { createReadStream, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type Config, parseConfig, readEnvironment } from '../config.ts'
import { BackupError } from '../db/backup-error.ts'
import { lockDataDirectory } from '../db/data-directory-lock.ts'
import { openDatabase, prepareDataDirectory } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { importRows } from '../db/transfer/import-rows.ts'
import { requireKey } from './require-key.ts'
import { runCommand, UsageError } from './run-command.ts'
import { discardUnreadable } from './secret-key.ts'

await runCommand(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      force: { type: 'boolean', default: false },
      'discard-secrets': { type: 'boolean', default: false },
    },
  })
  const [name] = positionals
  if (name === undefined) throw new UsageError('Uso: npm run import -- ARQUIVO [--force] [--discard-secrets]')
  const file = resolve(name)
  if (!existsSync(file)) throw new BackupError(`O arquivo ${file} não existe. Confira o caminho.`)
  const config = parseConfig(readEnvironment())
  const discard = values['discard-secrets']
  const rows = await importInto(config, file, values.force, discard)
  console.log(`${rows} linhas importadas de ${file}. Inicie o servidor.`)
  if (discard) await discardUnreadable(config)
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
      accept: async ({ keyId }) => (discard ? undefined : requireKey(config, keyId, file)),
    })
  } finally {
    await close()
    unlock()
  }
}
