import { existsSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '#server/config.ts'
import { type Db, openDatabase, SQLITE_FILE } from '#server/db/database.ts'
import { MIGRATION_NAMES } from '#server/db/migrate.ts'
import { proveWritable } from '#server/db/prove-writable.ts'
import { readKeyId } from '#server/secrets/key-id.ts'
import { readSecretKeyFile } from '#server/secrets/secret-key-file.ts'
import { bad, type Finding, ok, reasonOf, warn } from './finding.ts'

const LITTLE_BYTES = 500e6
const MOST_DRIFT_MS = 30_000

/** Disk, database, the key of its secrets, and the clock as the database's machine has it. */
export async function checkPlace(config: Config): Promise<Finding[]> {
  return [checkDisk(config), ...(await checkDatabase(config))]
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

async function checkDatabase(config: Config): Promise<Finding[]> {
  const place = config.databaseUrl === null ? join(config.dataDir, SQLITE_FILE) : 'PostgreSQL'
  if (config.databaseUrl === null && !existsSync(place))
    return [warn(`ainda não há banco de dados em ${place}`, 'O primeiro início o cria.')]
  const { db, engine, close } = openDatabase(config)
  try {
    const findings = [await checkSchema(db, place)]
    await proveWritable(db)
    findings.push(ok('o banco de dados aceita gravações'))
    if (engine === 'sqlite') findings.push(await checkFile(db, place))
    else findings.push(await checkClock(db))
    findings.push(await checkKey(config, db))
    return findings
  } catch (error) {
    const mend =
      engine === 'sqlite'
        ? 'Confira as permissões da pasta; se o arquivo estiver danificado, restaure um backup.'
        : 'Confira DATABASE_URL, a rede e se o servidor PostgreSQL está no ar.'
    return [bad(`o banco de dados não responde (${reasonOf(error)})`, mend)]
  } finally {
    await close()
  }
}

async function checkSchema(db: Db, place: string): Promise<Finding> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const done = new Set(rows.map(({ name }) => name))
  const newer = [...done].filter((name) => !MIGRATION_NAMES.has(name))
  const missing = [...MIGRATION_NAMES].filter((name) => !done.has(name))
  if (newer.length > 0)
    return bad(`o banco é de uma versão mais nova (${newer.join(', ')})`, 'Atualize o programa.')
  if (missing.length > 0)
    return warn(`faltam ao banco as migrações ${missing.join(', ')}`, 'O próximo início as aplica.')
  return ok(`${place} está na forma desta versão`)
}

async function checkFile(db: Db, place: string): Promise<Finding> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check`.execute(db)
  const verdict = rows[0]?.quick_check
  return verdict === 'ok'
    ? ok('o arquivo do banco está íntegro')
    : bad(`o arquivo ${place} está danificado (${verdict})`, 'Guarde uma cópia e restaure um backup.')
}

async function checkClock(db: Db): Promise<Finding> {
  const { rows } = await sql<{ now: string }>`select now() as now`.execute(db)
  const drift = Math.abs(Date.parse(String(rows[0]?.now)) - Date.now())
  return drift > MOST_DRIFT_MS
    ? bad(
        `o relógio difere ${Math.round(drift / 1000)} s do relógio do PostgreSQL`,
        'Acerte os dois por NTP.',
      )
    : ok('o relógio concorda com o do PostgreSQL')
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
