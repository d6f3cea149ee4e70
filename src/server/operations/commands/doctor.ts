import { existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import { DAY_MS, MINUTE_MS } from '#contract/durations.ts'
import { formatCount } from '#contract/format-count.ts'
import { type Config, ConfigError } from '#server/config.ts'
import { refuseEmptied } from '#server/db/backup/backup.ts'
import { describeDamage } from '#server/db/backup/file-check.ts'
import { describeClock, readClock } from '#server/db/clock.ts'
import { type Db, openDatabase, SQLITE_FILE } from '#server/db/database.ts'
import { PROCESS_NAME } from '#server/db/engines/postgres.ts'
import { describeFault, isDamage, shortenVerdict } from '#server/db/errors.ts'
import { MIGRATION_NAMES } from '#server/db/migrate.ts'
import { publicPolicy } from '#server/http/security/content-security-policy.ts'
import { pageHeaders } from '#server/http/security/headers.ts'
import { readSecretKeyFile } from '#server/secrets/secret-key.ts'
import { readKeyId } from '#server/secrets/secrets.ts'
import { proveWritable } from '../health.ts'
import { findProductionGaps } from '../production-gaps.ts'
import type { CommandContext } from './command.ts'

type Check = (config: Config) => AsyncIterable<Finding> | Promise<Finding[]> | Finding[]

const CHECKS: readonly Check[] = [checkSettings, checkPlace, checkReach, checkServices]

/** `doctor`: checks everything that the server needs and says what to fix. It only writes the readiness row. */
export async function doctor({ config: readConfig }: CommandContext): Promise<void> {
  const counts = { ok: 0, warn: 0, bad: 0 }
  // Printed as they are found: later checks may hang or fail.
  const tell = (finding: Finding) => {
    counts[finding.level]++
    console.log(describe(finding))
  }
  const config = readSettings(readConfig, tell)
  for (const check of config === null ? [] : CHECKS) {
    try {
      for await (const finding of await check(config as Config)) tell(finding)
    } catch (error) {
      tell(faultOf(error))
    }
  }
  console.log(
    `\n${counts.ok} em ordem, ${formatCount(counts.warn, 'aviso', 'avisos')}, ${formatCount(counts.bad, 'erro', 'erros')}`,
  )
  process.exitCode = counts.bad === 0 ? 0 : 1
}

function readSettings(readConfig: () => Config, tell: (finding: Finding) => void): Config | null {
  try {
    return readConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const fault of error.faults) tell(bad(fault, 'Corrija a variável no ambiente ou no arquivo .env.'))
    return null
  }
}

/** Missing mail is reported where mail is checked. */
function checkSettings(config: Config): Finding[] {
  const gaps = findProductionGaps(config).filter(({ code }) => code !== 'no_smtp_url')
  return [
    ok('a configuração é válida'),
    ...gaps.map(({ message }) => warn('recomendado para produção', message)),
  ]
}

const LITTLE_BYTES = 500e6

/** Disk, database, secret key, and clock. */
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
      () => (engine === 'sqlite' ? checkFile(db, place) : checkConnections(db, config)),
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
    return warn(
      `a pasta de dados ${dataDir} ainda não existe`,
      'Ela é criada quando o servidor inicia pela primeira vez.',
    )
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const shown = `${Math.round(free / 1e6)} MB livres em ${dataDir}`
  return free < LITTLE_BYTES
    ? bad(shown, 'Libere espaço ou mude DATA_DIR. Com o disco cheio, o site para de gravar dados.')
    : ok(shown)
}

function checkPresence(config: Config, file: string): Finding | null {
  const refusal = refuseEmptied(config)
  if (refusal !== null) return bad(refusal, 'Assim, o servidor não inicia.')
  if (!existsSync(file))
    return warn(
      `ainda não há banco de dados em ${file}`,
      'Ele é criado quando o servidor inicia pela primeira vez.',
    )
  return statSync(file).size === 0
    ? warn(`o arquivo ${file} está vazio (0 bytes)`, 'O próximo início cria um banco de dados novo nele.')
    : null
}

interface MissingMigrations {
  newer: string[]
  migrations: string[]
}

/** Null if there are no tables. */
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
  if (missing === null)
    return warn(
      `${place} ainda não tem tabelas`,
      'Elas são criadas quando o servidor inicia pela primeira vez.',
    )
  const { newer, migrations } = missing
  if (newer.length > 0)
    return bad(`o banco é de uma versão mais nova do Pórtico (${newer.join(', ')})`, 'Atualize o Pórtico.')
  if (migrations.length > 0)
    return warn(
      `o banco precisa de ${formatCount(migrations.length, 'migração', 'migrações')} (${migrations.join(', ')})`,
      'Elas são aplicadas quando o servidor reiniciar.',
    )
  return ok(`${place} está atualizado para esta versão`)
}

/** Whether the connections of all processes fit into the server. Behind PgBouncer these are PgBouncer's. */
async function checkConnections(db: Db, { databasePoolSize: each }: Config): Promise<Finding> {
  const { rows } = await sql<{ room: number; processes: number }>`
    with ours as (
      select application_name from pg_stat_activity
      where datname = current_database() and application_name like ${`${PROCESS_NAME} %`}
    )
    select
      -- Limits of the server, the database and the user, less the connections of other programs.
      (select count(*) from ours)::int + least(
        current_setting('max_connections')::int
          - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0)
          - (select sum(numbackends) from pg_stat_database),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
          - (select numbackends from pg_stat_database where datname = current_database()),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)
          - (select count(*) from pg_stat_activity where usename = current_user)
      )::int as room,
      -- This command is one of them.
      (select count(distinct application_name) from ours)::int - 1 as processes
  `.execute(db)
  const { room = 0, processes = 0 } = rows[0] ?? {}
  return judgeConnections({ room, processes, each })
}

/** `room` is what the server leaves to Pórtico, `each` what one process may hold. */
export function judgeConnections({
  room,
  processes,
  each,
}: {
  room: number
  processes: number
  each: number
}): Finding {
  const fit = Math.max(0, Math.floor(room / each))
  const shown = `cada processo usa até ${formatCount(each, 'conexão', 'conexões')} e o PostgreSQL tem ${Math.max(0, room)} para o Pórtico`
  if (fit >= Math.max(1, processes))
    return ok(`${shown}: ${fit === 1 ? 'cabe 1 processo' : `cabem ${fit} processos`} (agora: ${processes})`)
  return warn(
    `${shown}, mas ${processes <= 1 ? 'um processo precisa' : `${processes} processos precisam`} de ${Math.max(1, processes) * each}`,
    'Diminua DATABASE_POOL_SIZE, aumente max_connections ou use o PgBouncer. Até lá, as requisições esperam por uma conexão livre.',
  )
}

async function checkFile(db: Db, place: string): Promise<Finding> {
  const verdict = await readVerdict(db)
  return verdict === 'ok'
    ? ok('o arquivo do banco está íntegro')
    : bad(describeDamage(place, verdict), 'Até lá, nenhum backup automático é feito.')
}

/** SQLite throws for a broken root page, and returns a list for a broken leaf. */
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
  if (problem === null) return ok('o relógio está de acordo com o banco de dados')
  return bad(problem.message, 'Confira a hora desta máquina.')
}

async function checkKey({ secretKey }: Config, db: Db): Promise<Finding> {
  const wanted = await readKeyId(db)
  const keys = (await readSecretKeyFile(secretKey.file)) ?? []
  if (wanted === null || keys.some(({ id }) => id === wanted))
    return ok(`a chave dos segredos está em ${secretKey.file}. Guarde uma cópia fora desta máquina`)
  return bad(
    `o arquivo ${secretKey.file} não tem a chave ${wanted}, que criptografa os segredos do banco`,
    'Copie a chave guardada para esse arquivo. Se ela foi perdida: npm run admin -- discard-secrets',
  )
}

const PATIENCE_MS = 10_000
const SOON_DAYS = 14
const MOST_DRIFT_MS = MINUTE_MS
const ALWAYS_NONE = new Set(['default-src', 'worker-src', 'object-src', 'base-uri', 'frame-ancestors'])

/** The site as visitors reach it: through the proxy, with its certificate and our headers. */
export async function checkReach(config: Config): Promise<Finding[]> {
  const findings = [...(await checkTls(config.siteUrl)), ...(await checkSite(config))]
  if (config.adminUrl === null) return findings
  return [...findings, ...(await checkTls(config.adminUrl)), await checkAdmin(config.adminUrl)]
}

async function checkSite({ siteUrl, hsts }: Config): Promise<Finding[]> {
  try {
    const page = await fetch(siteUrl, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) })
    await page.arrayBuffer()
    if (page.status !== 200)
      return [
        bad(
          `${siteUrl} respondeu ${page.status}`,
          'Configure o proxy para repassar as requisições a este servidor, com o cabeçalho Host original.',
        ),
      ]
    const missing = findMissingProtection(page.headers)
    const findings = [
      missing.length === 0
        ? ok(`${siteUrl} responde com a política de segurança`)
        : bad(
            `${siteUrl} responde sem ${missing.join(', ')}`,
            'Configure o proxy para não remover nem trocar cabeçalhos.',
          ),
      checkSiteClock(page.headers.get('date')),
    ]
    if (hsts !== null && page.headers.get('strict-transport-security') !== hsts)
      findings.push(
        warn(
          'o cabeçalho Strict-Transport-Security chega diferente do configurado',
          'Envie esse cabeçalho só pelo servidor ou só pelo proxy.',
        ),
      )
    return findings
  } catch (error) {
    return [
      bad(
        `${siteUrl} não responde (${reasonOf(error)})`,
        'Confira se o servidor está no ar e se o domínio aponta para o proxy.',
      ),
    ]
  }
}

/** What the server always sends: headers by value, policy directives by name and strictest value. */
function findMissingProtection(headers: Headers): string[] {
  const expected = pageHeaders({}, { hsts: null, opener: null })
  const { 'content-security-policy': _policy, ...fixed } = expected
  const given = (headers.get('content-security-policy') ?? '').split(';').map((part) => part.trim())
  const ours = publicPolicy({ origins: [], styleHashes: [], scriptHashes: [] })
  const isThere = (directive: string) =>
    ALWAYS_NONE.has(directive)
      ? given.includes(`${directive} 'none'`)
      : given.some((part) => part.startsWith(`${directive} `))
  return [
    ...Object.entries(fixed).flatMap(([name, value]) => (headers.get(name) === value ? [] : [name])),
    ...Object.keys(ours).flatMap((directive) => (isThere(directive) ? [] : [directive])),
  ]
}

function checkSiteClock(date: string | null): Finding {
  const drift = Math.abs(Date.parse(date ?? '') - Date.now())
  return drift > MOST_DRIFT_MS
    ? bad(`o relógio está ${Math.round(drift / 1000)} s diferente do site`, 'Sincronize os relógios por NTP.')
    : ok('o relógio está igual ao do site')
}

async function checkAdmin(adminUrl: string): Promise<Finding> {
  try {
    const { status } = await fetch(`${adminUrl}/admin`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    return status === 200
      ? ok(`o painel responde em ${adminUrl}/admin`)
      : bad(
          `${adminUrl}/admin respondeu ${status}`,
          'Configure o proxy para repassar o cabeçalho Host original.',
        )
  } catch (error) {
    return bad(
      `${adminUrl} não responde (${reasonOf(error)})`,
      'Confira se o domínio do painel aponta para o proxy.',
    )
  }
}

async function checkTls(origin: string): Promise<Finding[]> {
  const { protocol, hostname, port } = new URL(origin)
  if (protocol !== 'https:') return []
  try {
    const days = await daysLeft(hostname, Number(port || 443))
    return [
      days < SOON_DAYS
        ? warn(
            `o certificado de ${hostname} vence em ${formatCount(days, 'dia', 'dias')}`,
            'Renove o certificado ou veja por que a renovação automática não funcionou.',
          )
        : ok(`o certificado de ${hostname} vale por mais ${formatCount(days, 'dia', 'dias')}`),
    ]
  } catch (error) {
    return [
      bad(
        `o certificado de ${hostname} não é válido (${reasonOf(error)})`,
        'Instale um certificado válido para esse domínio, com a cadeia completa.',
      ),
    ]
  }
}

function daysLeft(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: host, timeout: PATIENCE_MS }, () => {
      const { valid_to } = socket.getPeerCertificate()
      socket.destroy()
      resolve(Math.floor((Date.parse(valid_to) - Date.now()) / DAY_MS))
    })
    socket.once('timeout', () => socket.destroy(new Error('ETIMEDOUT')))
    socket.once('error', reject)
  })
}

/** Outgoing services. Nothing is delivered. */
export async function checkServices(config: Config): Promise<Finding[]> {
  return [await checkMail(config), await checkWebhook(config)]
}

async function checkMail({ mail }: Config): Promise<Finding> {
  if (mail.smtpUrl === null)
    return warn('os e-mails não são enviados: ficam em DATA_DIR/outbox', 'Defina SMTP_URL.')
  const limits = { connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS }
  const transport = createTransport({ url: mail.smtpUrl, ...limits })
  try {
    await transport.verify()
    return ok('o servidor de e-mail aceitou o login')
  } catch (error) {
    return bad(
      `o servidor de e-mail recusou a conexão (${reasonOf(error)})`,
      'Confira endereço, porta, usuário e senha em SMTP_URL.',
    )
  } finally {
    transport.close()
  }
}

async function checkWebhook({ newsletter: { webhookUrl, webhookSecret } }: Config): Promise<Finding> {
  if (webhookUrl === null)
    return warn(
      'as inscrições da newsletter ficam guardadas, mas não são enviadas',
      'Defina NEWSLETTER_WEBHOOK_URL.',
    )
  try {
    // Any response will do: many accept only POST.
    await fetch(webhookUrl, { method: 'HEAD', signal: AbortSignal.timeout(PATIENCE_MS) })
  } catch (error) {
    return bad(
      `o webhook da newsletter não responde (${reasonOf(error)})`,
      'Confira NEWSLETTER_WEBHOOK_URL e se este servidor acessa a internet.',
    )
  }
  return webhookSecret === null
    ? warn(
        'o webhook da newsletter responde, mas os envios não são assinados',
        'Defina NEWSLETTER_WEBHOOK_SECRET.',
      )
    : ok('o webhook da newsletter responde')
}

/** The result of a check: fine, warning or error; `mend` is what to do. */
export interface Finding {
  level: 'ok' | 'warn' | 'bad'
  what: string
  mend?: string
}

const ok = (what: string): Finding => ({ level: 'ok', what })
const warn = (what: string, mend: string): Finding => ({ level: 'warn', what, mend })
const bad = (what: string, mend: string): Finding => ({ level: 'bad', what, mend })

function describe({ level, what, mend }: Finding): string {
  const mark = { ok: '✓', warn: '!', bad: '✗' }[level]
  return mend === undefined ? `${mark} ${what}` : `${mark} ${what}\n    → ${mend}`
}

/** An error as a finding: reason and fix if its code is known, else the code. */
export function faultOf(error: unknown): Finding {
  const fault = describeFault(error)
  return fault === null
    ? bad(`a verificação parou (${reasonOf(error)})`, 'Veja o log do servidor.')
    : bad(fault.what, `${fault.mend}.`)
}

function reasonOf(error: unknown): string {
  const { message, code, cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException }
  return cause?.code ?? cause?.message ?? code ?? message
}
