import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { Config } from '#server/config.ts'
import { type Db, openDatabase, SQLITE_FILE } from '#server/db/database.ts'
import { OperatorError } from '#server/operator-error.ts'

/** A call that does not fit the command's usage, or asks for what is not there. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError'
}

export interface CommandContext {
  /** What was written after the command, but for `--env-file FILE`, which every command takes. */
  args: string[]
  /** Read when it is asked for: a call that is wrong says so first. */
  config: () => Config
  withDatabase: (work: (db: Db, config: Config) => Promise<void>) => Promise<void>
}

/**
 * The database of the configuration, beside a live server if there is one: only servers lock the data directory. One
 * that is not there is never made: keys and lists of a new database would be nobody's.
 */
export async function withDatabase(
  config: Config,
  work: (db: Db, config: Config) => Promise<void>,
): Promise<void> {
  const absent = () =>
    new UsageError(
      `Não há banco de dados da Pórtico em ${config.databaseUrl === null ? config.dataDir : 'DATABASE_URL'}. Confira ${config.databaseUrl === null ? 'DATA_DIR' : 'o endereço'}; as configurações do serviço vêm de --env-file ARQUIVO.`,
    )
  if (config.databaseUrl === null && !hasContent(join(config.dataDir, SQLITE_FILE))) throw absent()
  const { db, close } = openDatabase(config)
  try {
    const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
    if (!tables.some(({ name }) => name === 'kysely_migration')) throw absent()
    await work(db, config)
  } finally {
    await close()
  }
}

function hasContent(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0
}

/** Options and at most so many names; anything else is answered with what is wrong and how the command is used. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  { usage, options, names }: { usage: string; options: Options; names: number },
) {
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true })
    if (parsed.positionals.length <= names) return parsed
  } catch (error) {
    const option = /'(-[^' <]*)/.exec((error as Error).message)?.[1]
    if (option !== undefined)
      throw new UsageError(`A opção ${option} não existe ou pede outro valor.\n${usage}`)
  }
  throw new UsageError(usage)
}
