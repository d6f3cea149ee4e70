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
    throw new BackupError('Este comando só serve para o banco embutido. Com PostgreSQL, use o pg_dump.')
  const recipient = values['encrypt-to'] ?? config.backup.recipient
  const { keyId, rows, tables, leftBehind } = await makeBackup(config.dataDir, resolve(file), recipient)
  console.log(
    `Backup salvo em ${resolve(file)} e verificado: ${formatCount(rows, 'registro', 'registros')} em ${formatCount(tables, 'tabela', 'tabelas')}.`,
  )
  console.log(describeLeftBehind(leftBehind))
  if (recipient !== null)
    console.log(`Criptografado para ${recipient}. Só a chave secreta correspondente abre o arquivo.`)
  if (keyId !== null)
    console.log(
      `O backup não inclui a chave dos segredos (${keyId}). Guarde uma cópia de ${config.secretKey.file} em outro lugar.`,
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
    throw new BackupError('Este comando só serve para o banco embutido. Com PostgreSQL, use o pg_restore.')
  const discard = values['discard-secrets']
  const { missing, rows } = await restoreDatabase({
    dataDir: config.dataDir,
    backup: resolve(file),
    force: values.force,
    identityFile: values.identity === undefined ? undefined : resolve(values.identity),
    accept: async (facts) =>
      discard ? undefined : requireKey(config, facts.keyId, { source: resolve(file), verb: 'restaure' }),
  })
  console.log(`Banco restaurado de ${resolve(file)}: ${formatCount(rows, 'registro', 'registros')}.`)
  if (missing.length > 0)
    console.log(
      `O backup é de uma versão anterior. O banco será atualizado quando o servidor iniciar (${missing.join(', ')}).`,
    )
  if (discard) await withDatabase(config, discardUnreadable)
}

const EXPORT_USAGE = 'Uso: npm run export -- ARQUIVO'

/** `export FILE`: the whole database, for `import` on either engine. */
export async function exportDatabase({ args, withDatabase }: CommandContext): Promise<void> {
  const [name] = readArguments(args, { usage: EXPORT_USAGE, options: {}, names: 1 }).positionals
  if (name === undefined) throw new UsageError(EXPORT_USAGE)
  const file = resolve(name)
  await withDatabase(async (database, config) => {
    const leftBehind = await onSnapshot(database, config, (db) => writeRows(db, file))
    console.log(`Banco de dados exportado para ${file}.`)
    console.log(describeLeftBehind(leftBehind))
    console.log(
      `Os segredos continuam criptografados. Leve também ${config.secretKey.file} para a máquina em que vai importar.`,
    )
  })
}

/** Contains encrypted secrets and addresses: readable by the owner only, and never overwrites a file. */
async function writeRows(db: Db, file: string): Promise<void> {
  try {
    await pipeline(
      Readable.from(exportRows(db)),
      createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new BackupError(`O arquivo ${file} já existe e não foi alterado. Escolha outro nome.`)
    throw error
  }
}

/** A running server keeps writing: the export is a snapshot. */
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
      `O banco é de uma versão mais nova do Pórtico (${newer.join(', ')}). Atualize e exporte de novo.`,
    )
  return readSnapshot(database, async (db) => {
    await work(db)
    return countLeftBehind(db)
  })
}

const IMPORT_USAGE = 'Uso: npm run import -- ARQUIVO [--force] [--discard-secrets]'

/** `import FILE [--force] [--discard-secrets]`: an export of either engine. */
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
  console.log(
    `${formatCount(rows, 'registro importado', 'registros importados')} de ${file}. Agora inicie o servidor: npm start`,
  )
  if (discard) await withDatabase(config, discardUnreadable)
}

/** SQLite must not be in use; processes on PostgreSQL cannot be detected here. */
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
O arquivo tem uma pessoa por linha, em JSON. Para gerar no banco do Supabase:
  psql -At -c "select row_to_json(u) from auth.users u" > ARQUIVO`

const OUTCOMES: Record<ImportOutcome, string> = {
  imported: 'importadas',
  taken: 'já existiam (nada mudou)',
  unusable: 'ignoradas (sem e-mail, excluídas ou em outro formato)',
}

/** `import-supabase FILE`: accounts of a Supabase project, also beside a live server. */
export async function importSupabase({ args, withDatabase }: CommandContext): Promise<void> {
  const [name] = readArguments(args, { usage: SUPABASE_USAGE, options: {}, names: 1 }).positionals
  if (name === undefined) throw new UsageError(SUPABASE_USAGE)
  const file = resolve(name)
  if (!existsSync(file)) throw new UsageError(`O arquivo ${file} não existe. Confira o caminho.`)
  await withDatabase(async (db, config) => {
    await prepareDatabase(config, db, warn)
    const counts = await importLines(db, file)
    for (const [outcome, count] of counts) console.log(`${count} ${OUTCOMES[outcome]}`)
    console.log(
      'As contas importadas ainda não acessam o painel. Dê uma função em Usuários Admin ou com POST /rest/v1/admin_users.',
    )
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

/** `source` is the name that the operator knows, `verb` what to repeat. */
interface Attempt {
  source: string
  verb: 'restaure' | 'importe'
}

/** Refuses data encrypted with a missing key, before anything is replaced. */
async function requireKey(
  { secretKey }: Config,
  keyId: string | null,
  { source, verb }: Attempt,
): Promise<void> {
  if (keyId === null) return
  const keys = (await readSecretKeyFile(secretKey.file)) ?? []
  if (keys.some((key) => key.id === keyId)) return
  const there = keys.length === 0 ? 'não existe' : `tem a chave ${keys.map((key) => key.id).join(', ')}`
  const rest = verb === 'restaure' ? 'restaura' : 'importa'
  throw new BackupError(
    `Os segredos de ${source} usam a chave ${keyId}, mas o arquivo ${secretKey.file} ${there}. Nada foi alterado.
Copie o arquivo com a chave ${keyId} e ${verb} de novo. Se ela foi perdida, --discard-secrets ${rest} o resto e descarta os segredos.`,
  )
}
