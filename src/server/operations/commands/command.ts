import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { Config } from '#server/config.ts'
import { type Db, openDatabase, SQLITE_FILE } from '#server/db/database.ts'
import { OperatorError } from '#server/operator-error.ts'

/** Wrong usage, or a missing object. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError'
}

export interface CommandContext {
  /** The arguments after the command, without `--env-file FILE`, which every command accepts. */
  args: string[]
  /** Read on demand: wrong usage is reported first. */
  config: () => Config
  withDatabase: (work: (db: Db, config: Config) => Promise<void>) => Promise<void>
}

/**
 * The configured database, also beside a live server: only servers lock the data directory. A missing database is never
 * created.
 */
export async function withDatabase(
  config: Config,
  work: (db: Db, config: Config) => Promise<void>,
): Promise<void> {
  const absent = () =>
    new UsageError(
      `Não há banco de dados do Pórtico em ${config.databaseUrl === null ? config.dataDir : 'DATABASE_URL'}. Confira ${config.databaseUrl === null ? 'DATA_DIR' : 'o endereço'}; as configurações do serviço vêm de --env-file ARQUIVO.`,
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

/** Parses options and at most this many names; otherwise reports the error and the usage. */
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
