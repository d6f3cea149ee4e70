import { existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import { formatCount } from '#contract/format-count.ts'
import { type Config, ConfigError } from '#server/config.ts'
import { refuseEmptied } from '#server/db/backup/backup.ts'
import { describeDamage } from '#server/db/backup/file-check.ts'
import { describeClock, readClock } from '#server/db/clock.ts'
import { type Db, openDatabase, SQLITE_FILE } from '#server/db/database.ts'
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

/** `doctor`: looks at everything that the server needs, changes nothing, and says what to mend. */
export async function doctor({ config: readConfig }: CommandContext): Promise<void> {
  const counts = { ok: 0, warn: 0, bad: 0 }
  // Each is printed as it is found: what comes later may hang or break.
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
  console.log(`\n${counts.ok} em ordem, ${counts.warn} a melhorar, ${counts.bad} a consertar`)
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

/** That no mail is sent is told where mail is tried. */
function checkSettings(config: Config): Finding[] {
  const gaps = findProductionGaps(config).filter(({ code }) => code !== 'no_smtp_url')
  return [ok('a configuração é válida'), ...gaps.map(({ message }) => warn('falta para produção', message))]
}

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

const PATIENCE_MS = 10_000
const DAY_MS = 86_400_000
const SOON_DAYS = 14
const MOST_DRIFT_MS = 60_000
const ALWAYS_NONE = new Set(['default-src', 'worker-src', 'object-src', 'base-uri', 'frame-ancestors'])

/** The site as visitors reach it: through the proxy, with its certificate, and with our headers untouched. */
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
          `${siteUrl} responde ${page.status}`,
          'O proxy deve passar os pedidos a este servidor, com o Host original.',
        ),
      ]
    const missing = findMissingProtection(page.headers)
    const findings = [
      missing.length === 0
        ? ok(`${siteUrl} responde, com a política de segurança inteira`)
        : bad(
            `${siteUrl} responde sem ${missing.join(', ')}`,
            'O proxy não pode retirar nem trocar cabeçalhos.',
          ),
      checkSiteClock(page.headers.get('date')),
    ]
    if (hsts !== null && page.headers.get('strict-transport-security') !== hsts)
      findings.push(
        warn(
          'Strict-Transport-Security não chega como configurado',
          'Deixe que só um dos dois o envie, o servidor ou o proxy.',
        ),
      )
    return findings
  } catch (error) {
    return [
      bad(
        `${siteUrl} não responde (${reasonOf(error)})`,
        'O servidor está no ar? O nome aponta para o proxy?',
      ),
    ]
  }
}

/** What the server always sends: headers by their value, directives of the policy by their name and by what admits nothing. */
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
    ? bad(`o relógio difere ${Math.round(drift / 1000)} s do que o site diz`, 'Acerte os relógios por NTP.')
    : ok('o relógio concorda com o do site')
}

async function checkAdmin(adminUrl: string): Promise<Finding> {
  try {
    const { status } = await fetch(`${adminUrl}/admin`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    return status === 200
      ? ok(`o painel responde em ${adminUrl}/admin`)
      : bad(`${adminUrl}/admin responde ${status}`, 'O proxy deve passar o Host original, sem trocá-lo.')
  } catch (error) {
    return bad(`${adminUrl} não responde (${reasonOf(error)})`, 'O nome do painel aponta para o proxy?')
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
            'Renove-o, ou veja por que a renovação automática falha.',
          )
        : ok(`o certificado de ${hostname} vale por mais ${formatCount(days, 'dia', 'dias')}`),
    ]
  } catch (error) {
    return [
      bad(
        `o TLS de ${hostname} não é aceito (${reasonOf(error)})`,
        'Instale um certificado válido para este nome, com a cadeia inteira.',
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

/** What this program sends to others. Nothing is delivered: neither a mail nor a subscription. */
export async function checkServices(config: Config): Promise<Finding[]> {
  return [await checkMail(config), await checkWebhook(config)]
}

async function checkMail({ mail }: Config): Promise<Finding> {
  if (mail.smtpUrl === null)
    return warn('nenhum e-mail é enviado: as mensagens ficam em DATA_DIR/outbox', 'Defina SMTP_URL.')
  const limits = { connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS }
  const transport = createTransport({ url: mail.smtpUrl, ...limits })
  try {
    await transport.verify()
    return ok('o servidor de e-mail aceita o nosso acesso')
  } catch (error) {
    return bad(
      `o servidor de e-mail não aceita o nosso acesso (${reasonOf(error)})`,
      'Confira endereço, porta, usuário e senha em SMTP_URL.',
    )
  } finally {
    transport.close()
  }
}

async function checkWebhook({ newsletter: { webhookUrl, webhookSecret } }: Config): Promise<Finding> {
  if (webhookUrl === null)
    return warn('as inscrições da newsletter são guardadas e não entregues', 'Defina NEWSLETTER_WEBHOOK_URL.')
  try {
    // Any answer will do: many take nothing but POST.
    await fetch(webhookUrl, { method: 'HEAD', signal: AbortSignal.timeout(PATIENCE_MS) })
  } catch (error) {
    return bad(
      `o webhook da newsletter não responde (${reasonOf(error)})`,
      'Confira NEWSLETTER_WEBHOOK_URL e a saída da rede.',
    )
  }
  return webhookSecret === null
    ? warn(
        'o webhook da newsletter responde, mas as entregas não são assinadas',
        'Defina NEWSLETTER_WEBHOOK_SECRET.',
      )
    : ok('o webhook da newsletter responde')
}

/** What a check says: well, worth mending, or not working; `mend` is what to do. */
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

/** A failure as a finding: its reason and what to do, where its code is known; else the code itself. */
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
