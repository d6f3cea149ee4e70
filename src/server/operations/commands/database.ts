import { createReadStream, createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { formatCount } from '#contract/format-count.ts'
import { type ImportOutcome, importSupabaseUser } from '#server/auth/accounts/import-supabase.ts'
import type { Config } from '#server/config.ts'
import { backupDatabase, makeBackup } from '#server/db/backup/backup.ts'
import { restoreDatabase } from '#server/db/backup/restore.ts'
import { lockDataDirectory } from '#server/db/data-directory.ts'
import { type Db, openDatabase, prepareDataDirectory, SQLITE_FILE } from '#server/db/database.ts'
import { BackupError } from '#server/db/errors.ts'
import { migrate } from '#server/db/migrate.ts'
import {
  countLeftBehind,
  describeLeftBehind,
  exportRows,
  type LeftBehind,
  readSnapshot,
} from '#server/db/transfer/export.ts'
import { importRows } from '#server/db/transfer/import.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import { readSecretKeyFile } from '#server/secrets/secret-key.ts'
import { type CommandContext, readArguments, UsageError, withDatabase } from './command.ts'
import { discardUnreadable, warn } from './keys.ts'

const BACKUP_USAGE = 'Uso: npm run backup -- ARQUIVO [--encrypt-to CHAVE_PUBLICA_AGE]'

/** `backup FILE [--encrypt-to RECIPIENT]` */
export async function backup({ args, config: readConfig }: CommandContext): Promise<void> {
  const { positionals, values } = readArguments(args, {
    usage: BACKUP_USAGE,
    options: { 'encrypt-to': { type: 'string' } },
    names: 1,
  })
  const [file] = positionals
  if (file === undefined) throw new UsageError(BACKUP_USAGE)
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
}

const RESTORE_USAGE = 'Uso: npm run restore -- ARQUIVO [--force] [--identity ARQUIVO] [--discard-secrets]'

/** `restore FILE [--force] [--identity FILE] [--discard-secrets]` */
export async function restore({ args, config: readConfig }: CommandContext): Promise<void> {
  const { positionals, values } = readArguments(args, {
    usage: RESTORE_USAGE,
    options: {
      force: { type: 'boolean', default: false },
      identity: { type: 'string' },
      'discard-secrets': { type: 'boolean', default: false },
    },
    names: 1,
  })
  const [file] = positionals
  if (file === undefined) throw new UsageError(RESTORE_USAGE)
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
}

const EXPORT_USAGE = 'Uso: npm run export -- ARQUIVO'

/** `export FILE`: everything that the database holds, for `import` on either engine. */
export async function exportDatabase({ args, withDatabase }: CommandContext): Promise<void> {
  const [name] = readArguments(args, { usage: EXPORT_USAGE, options: {}, names: 1 }).positionals
  if (name === undefined) throw new UsageError(EXPORT_USAGE)
  const file = resolve(name)
  await withDatabase(async (database, config) => {
    const leftBehind = await onSnapshot(database, config, (db) => writeRows(db, file))
    console.log(`Banco de dados exportado para ${file}.`)
    console.log(describeLeftBehind(leftBehind))
    console.log(
      `Os segredos nele continuam cifrados: leve também ${config.secretKey.file} para o lugar em que vai importar.`,
    )
  })
}

/** Sealed secrets and people's addresses: for the owner's eyes, and never over another file. */
async function writeRows(db: Db, file: string): Promise<void> {
  try {
    await pipeline(
      Readable.from(exportRows(db)),
      createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new BackupError(`O arquivo ${file} já existe e não foi alterado.`)
    throw error
  }
}

/** A running server goes on writing: what is exported is one moment of it. */
async function onSnapshot(
  database: Db,
  config: Config,
  work: (db: Db) => Promise<void>,
): Promise<LeftBehind> {
  if (config.databaseUrl !== null) return onPostgres(database, work)
  const folder = mkdtempSync(join(config.dataDir, 'export-'))
  try {
    const { leftBehind } = backupDatabase(config.dataDir, join(folder, SQLITE_FILE))
    const { db, close } = openDatabase({ dataDir: folder, databaseUrl: null })
    try {
      await migrate(db)
      await work(db)
    } finally {
      await close()
    }
    return leftBehind
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function onPostgres(database: Db, work: (db: Db) => Promise<void>): Promise<LeftBehind> {
  const { newer } = await migrate(database)
  if (newer.length > 0)
    throw new BackupError(
      `O banco de dados é de uma versão mais nova (${newer.join(', ')}). Atualize e exporte de novo.`,
    )
  return readSnapshot(database, async (db) => {
    await work(db)
    return countLeftBehind(db)
  })
}

const IMPORT_USAGE = 'Uso: npm run import -- ARQUIVO [--force] [--discard-secrets]'

/** `import FILE [--force] [--discard-secrets]`: an export of either engine into the one of this configuration. */
export async function importDatabase({ args, config: readConfig }: CommandContext): Promise<void> {
  const { positionals, values } = readArguments(args, {
    usage: IMPORT_USAGE,
    options: {
      force: { type: 'boolean', default: false },
      'discard-secrets': { type: 'boolean', default: false },
    },
    names: 1,
  })
  const [name] = positionals
  if (name === undefined) throw new UsageError(IMPORT_USAGE)
  const file = resolve(name)
  if (!existsSync(file)) throw new BackupError(`O arquivo ${file} não existe. Confira o caminho.`)
  const config = readConfig()
  const discard = values['discard-secrets']
  const rows = await importInto(config, file, values.force, discard)
  console.log(`${formatCount(rows, 'linha importada', 'linhas importadas')} de ${file}. Inicie o servidor.`)
  if (discard) await withDatabase(config, discardUnreadable)
}

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

const SUPABASE_USAGE = `Uso: npm run import-supabase -- ARQUIVO
O arquivo tem uma pessoa por linha, em JSON, como esta consulta as escreve no banco do Supabase:
  psql -At -c "select row_to_json(u) from auth.users u" > ARQUIVO`

const OUTCOMES: Record<ImportOutcome, string> = {
  imported: 'importadas',
  taken: 'já existiam (nada foi mudado)',
  unusable: 'não servem (sem e-mail, apagadas, ou de outro formato)',
}

/** `import-supabase FILE`: the logins of a Supabase project, beside a live server if there is one. */
export async function importSupabase({ args, withDatabase }: CommandContext): Promise<void> {
  const [name] = readArguments(args, { usage: SUPABASE_USAGE, options: {}, names: 1 }).positionals
  if (name === undefined) throw new UsageError(SUPABASE_USAGE)
  const file = resolve(name)
  if (!existsSync(file)) throw new UsageError(`O arquivo ${file} não existe. Confira o caminho.`)
  await withDatabase(async (db, config) => {
    await prepareDatabase(config, db, warn)
    const counts = await importLines(db, file)
    for (const [outcome, count] of counts) console.log(`${count} ${OUTCOMES[outcome]}`)
    console.log('Nenhuma tem função de administrador: dê uma com POST /rest/v1/admin_users ou no painel.')
  })
}

async function importLines(db: Db, file: string): Promise<Map<ImportOutcome, number>> {
  const counts = new Map<ImportOutcome, number>()
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) {
    if (line.trim() === '') continue
    const outcome = await importSupabaseUser(db, readLine(line))
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  return counts
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/** `source` is the name that the operator knows, `verb` what they are told to do again. */
interface Attempt {
  source: string
  verb: 'restaure' | 'importe'
}

/** Refuses what was encrypted with a key that is not here, before anything is replaced. */
async function requireKey(
  { secretKey }: Config,
  keyId: string | null,
  { source, verb }: Attempt,
): Promise<void> {
  if (keyId === null) return
  const keys = (await readSecretKeyFile(secretKey.file)) ?? []
  if (keys.some((key) => key.id === keyId)) return
  const there = keys.length === 0 ? 'não existe' : `contém a chave ${keys.map((key) => key.id).join(', ')}`
  const rest = verb === 'restaure' ? 'restaura' : 'importa'
  throw new BackupError(
    `Os segredos de ${source} foram cifrados com a chave ${keyId}, e o arquivo ${secretKey.file} ${there}. Nada foi alterado.
Ponha lá a cópia com a chave ${keyId} e ${verb} de novo. Se ela se perdeu, --discard-secrets ${rest} o resto e abre mão dos segredos.`,
  )
}
