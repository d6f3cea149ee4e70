import { existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '#server/config.ts'
import { refuseEmptied } from '#server/db/backup/backup.ts'
import { describeDamage } from '#server/db/backup/file-check.ts'
import { describeClock, readClock } from '#server/db/clock.ts'
import { type Db, openDatabase, SQLITE_FILE } from '#server/db/database.ts'
import { isDamage, shortenVerdict } from '#server/db/errors.ts'
import { MIGRATION_NAMES } from '#server/db/migrate.ts'
import { readSecretKeyFile } from '#server/secrets/secret-key.ts'
import { readKeyId } from '#server/secrets/secrets.ts'
import { proveWritable } from '../health.ts'
import { bad, type Finding, faultOf, ok, warn } from './finding.ts'

const LITTLE_BYTES = 500e6

/** Disk, database, the key of its secrets, and the clock against what the database last saw. */
export async function* checkPlace(config: Config): AsyncGenerator<Finding> {
  yield checkDisk(config)
  const place = config.databaseUrl === null ? join(config.dataDir, SQLITE_FILE) : 'PostgreSQL'
  const absent = config.databaseUrl === null ? checkPresence(config, place) : null
  if (absent !== null) return yield absent
  const { db, engine, close } = openDatabase(config)
  try {
    const missing = await findMissing(db)
    yield describeSchema(missing, place)
    // The rest needs the tables of this version.
    if (missing === null || missing.newer.length + missing.migrations.length > 0) return
    const checks: (() => Promise<Finding>)[] = [
      async () => {
        await proveWritable(db)
        return ok('o banco de dados aceita gravações')
      },
      ...(engine === 'sqlite' ? [() => checkFile(db, place)] : []),
      () => checkClock(db),
      () => checkKey(config, db),
    ]
    for (const check of checks) yield await check().catch(faultOf)
  } finally {
    await close()
  }
}

function checkDisk({ dataDir }: Config): Finding {
  if (!existsSync(dataDir))
    return warn(`a pasta de dados ${dataDir} ainda não existe`, 'O primeiro início a cria.')
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const shown = `${Math.round(free / 1e6)} MB livres em ${dataDir}`
  return free < LITTLE_BYTES
    ? bad(shown, 'Libere espaço ou mude DATA_DIR: com o disco cheio nada mais é gravado.')
    : ok(shown)
}

function checkPresence(config: Config, file: string): Finding | null {
  const refusal = refuseEmptied(config)
  if (refusal !== null) return bad(refusal, 'O servidor não inicia assim.')
  if (!existsSync(file)) return warn(`ainda não há banco de dados em ${file}`, 'O primeiro início o cria.')
  return statSync(file).size === 0
    ? warn(`o arquivo ${file} está vazio (0 bytes)`, 'O próximo início cria um banco de dados novo nele.')
    : null
}

interface MissingMigrations {
  newer: string[]
  migrations: string[]
}

/** Null where there are no tables at all. */
async function findMissing(db: Db): Promise<MissingMigrations | null> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return null
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const done = new Set(rows.map(({ name }) => name))
  return {
    newer: [...done].filter((name) => !MIGRATION_NAMES.has(name)),
    migrations: [...MIGRATION_NAMES].filter((name) => !done.has(name)),
  }
}

function describeSchema(missing: MissingMigrations | null, place: string): Finding {
  if (missing === null) return warn(`${place} ainda não tem tabelas`, 'O primeiro início as cria.')
  const { newer, migrations } = missing
  if (newer.length > 0)
    return bad(`o banco é de uma versão mais nova (${newer.join(', ')})`, 'Atualize o programa.')
  if (migrations.length > 0)
    return warn(`faltam ao banco as migrações ${migrations.join(', ')}`, 'O próximo início as aplica.')
  return ok(`${place} está na forma desta versão`)
}

async function checkFile(db: Db, place: string): Promise<Finding> {
  const verdict = await readVerdict(db)
  return verdict === 'ok'
    ? ok('o arquivo do banco está íntegro')
    : bad(describeDamage(place, verdict), 'Até lá, nenhum backup automático é feito.')
}

/** SQLite throws where a root page is broken, and answers with a list where a leaf is. */
async function readVerdict(db: Db): Promise<string> {
  try {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db)
    return shortenVerdict(rows[0]?.quick_check ?? '')
  } catch (error) {
    if (isDamage(error)) return (error as Error).message
    throw error
  }
}

async function checkClock(db: Db): Promise<Finding> {
  const problem = describeClock(await readClock(db))
  if (problem === null) return ok('o relógio concorda com o que o banco de dados viu')
  return bad(problem.message, 'Confira a hora desta máquina.')
}

async function checkKey({ secretKey }: Config, db: Db): Promise<Finding> {
  const wanted = await readKeyId(db)
  const keys = (await readSecretKeyFile(secretKey.file)) ?? []
  if (wanted === null || keys.some(({ id }) => id === wanted))
    return ok(`a chave dos segredos está em ${secretKey.file}; guarde uma cópia fora desta máquina`)
  return bad(
    `${secretKey.file} não contém a chave ${wanted}, que cifra os segredos do banco`,
    'Ponha lá a cópia dela. Se ela se perdeu: npm run admin -- discard-secrets',
  )
}
