import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { isEmail, normalizeEmail } from '#contract/email.ts'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import { DEFAULT_BRAND_NAME, type SiteInfo } from '#contract/site.ts'
import { EnvReader, readRedirectUrls } from './env-reader.ts'
import { OperatorError } from './operator-error.ts'

export interface Config {
  readonly host: string
  readonly port: number
  /** Public origin, without a trailing slash. */
  readonly siteUrl: string
  /** Origin of the dashboard and its services on their own host. */
  readonly adminUrl: string | null
  /** The dashboard's origin: `adminUrl`, or the site itself. */
  readonly dashboardUrl: string
  readonly dataDir: string
  /** PostgreSQL if set, else SQLite in `dataDir`. */
  readonly databaseUrl: string | null
  /** Maximum number of PostgreSQL connections of this process. */
  readonly databasePoolSize: number
  /** The key set that encrypts secrets in the database. Generated for SQLite only. */
  readonly secretKey: { readonly file: string; readonly makeIfAbsent: boolean }
  readonly site: SiteInfo
  /** Fees, documents and other facts that the public pages show; null: none. */
  readonly siteContentFile: string | null
  readonly newsletter: { readonly webhookUrl: string | null; readonly webhookSecret: string | null }
  readonly principal: { readonly email: string; readonly password: string | null }
  readonly auth: {
    readonly signingKeyFile: string | null
    readonly signup: 'closed' | 'open'
    /** Where emailed links may lead with a code; empty: only to the dashboard. */
    readonly redirectUrls: readonly string[]
  }
  readonly mail: { readonly smtpUrl: string | null; readonly from: string }
  /** How the server reaches vendors and webhooks. */
  readonly outgoing: {
    readonly httpsProxy: string | null
    readonly noProxy: string | null
    /** Hosts and versions of vendors' APIs that replace the built-in ones, by destination. */
    readonly apis: Readonly<Record<string, { readonly url?: string; readonly version?: string }>>
    /** Whether vendors' scripts are fetched once a day to note changes. */
    readonly checksFiles: boolean
  }
  /** False: the socket's address; true, a hop count or a list of proxies: what X-Forwarded-For says behind them. */
  readonly trustProxy: boolean | number | string[]
  /** Days after which rows of a kind are deleted. */
  readonly retention: {
    readonly consentDays: number
    readonly auditDays: number
    readonly failedLoginDays: number
    readonly reportDays: number
    readonly visitDays: number
  }
  /** False: visits and clicks are not counted. */
  readonly countsVisits: boolean
  readonly logLevel: LogLevel
  /** One line per request, including those served from memory. */
  readonly logRequests: boolean
  /** Null: no `/metrics`. With a port, only there. */
  readonly metrics: { readonly token: string | null; readonly port: number | null } | null
  /** Null: no tracing. */
  readonly tracing: {
    readonly endpoint: string
    readonly headers: Readonly<Record<string, string>>
    readonly serviceName: string
  } | null
  /** How long `/readyz/serve` and `/readyz` return 503 before connections are closed, so that a proxy sends nothing more. */
  readonly drainSeconds: number
  /** Rows that everybody together may store in an hour. */
  readonly perHour: {
    readonly consent: number
    readonly event: number
    readonly newsletter: number
    readonly 'tag-report': number
  }
  /** The header `Strict-Transport-Security`; null without https or if it is off. */
  readonly hsts: string | null
  readonly backup: {
    /** Null: no automatic backups. */
    readonly everyMs: number | null
    readonly keep: number
    readonly directory: string
    /** The age recipient for encrypted backups. */
    readonly recipient: string | null
  }
}

const MAX_RETENTION_DAYS = 36_500

const MIN_TOKEN_LENGTH = 16

const TWO_YEARS_SECONDS = 63_072_000

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/** All errors of the environment at once, for the operator. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(
      `A configuração tem ${faults.length === 1 ? '1 erro' : `${faults.length} erros`}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    )
    this.faults = faults
  }
}

/**
 * The process's environment over a file of settings, by default `.env` in the working directory: the only place that
 * reads either.
 */
export function readEnvironment(named: string | null = null): Record<string, string | undefined> {
  const file = resolve(named ?? '.env')
  if (named !== null && !existsSync(file))
    throw new ConfigError([`--env-file aponta para um arquivo que não existe: ${file}`])
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  return { ...fromFile, ...process.env }
}

export function parseConfig(environment: Record<string, string | undefined>): Config {
  const env = new EnvReader(environment)
  const port = env.integer('PORT', 3000, 0, 65_535)
  const siteUrl = env.origin('SITE_URL') ?? `http://localhost:${port}`
  const adminUrl = env.origin('ADMIN_URL')
  const ownBrand = env.text('BRAND_NAME', 80)
  const brandName = ownBrand ?? DEFAULT_BRAND_NAME
  const contactEmail = env.email('CONTACT_EMAIL') ?? 'contato@portico.example'
  const appUrl = env.url('APP_URL', ['https:', 'http:']) ?? 'https://app.portico.example'
  const dataDir = resolve(env.text('DATA_DIR', 4096) ?? './data')
  const databaseUrl = env.postgresUrl('DATABASE_URL')
  const base = appUrl.replace(/(?<!\/)\/+$/, '')
  const retention = {
    consentDays: env.integer('RETENTION_CONSENT_DAYS', 1826, 1, MAX_RETENTION_DAYS),
    auditDays: env.integer('RETENTION_AUDIT_DAYS', 730, 1, MAX_RETENTION_DAYS),
    failedLoginDays: env.integer('RETENTION_FAILED_LOGIN_DAYS', 90, 1, MAX_RETENTION_DAYS),
    reportDays: env.integer('RETENTION_REPORT_DAYS', 396, 1, MAX_RETENTION_DAYS),
    visitDays: env.integer('RETENTION_VISIT_DAYS', 761, 1, MAX_RETENTION_DAYS),
  }
  const countsVisits = env.oneOf('VISIT_COUNTS', ['on', 'off'], 'on') === 'on'
  const logRequests = env.flag('LOG_REQUESTS')
  const config: Config = {
    host: env.text('HOST', 255) ?? '127.0.0.1',
    port,
    siteUrl,
    adminUrl: adminUrl === siteUrl ? null : adminUrl,
    dashboardUrl: adminUrl ?? siteUrl,
    dataDir,
    databaseUrl,
    databasePoolSize: env.integer('DATABASE_POOL_SIZE', 10, 1, 1000),
    secretKey: readSecretKey(env, dataDir, databaseUrl),
    site: {
      siteUrl,
      brandName,
      contactEmail,
      contactPhone: env.text('CONTACT_PHONE', 40) ?? '+55 11 0000-0000',
      whatsappNumber: env.digits('WHATSAPP_NUMBER', 8, 15) ?? '5511000000000',
      loginUrl: `${base}/login`,
      registerUrl: `${base}/register`,
      linkedinUrl: env.url('LINKEDIN_URL', ['https:']),
      instagramUrl: env.url('INSTAGRAM_URL', ['https:']),
      legalName: env.text('COMPANY_LEGAL_NAME', 200),
      cnpj: env.cnpj('COMPANY_CNPJ'),
      dpoEmail: env.email('DPO_EMAIL'),
      retention,
      countsVisits,
      logsRequests: logRequests,
    },
    siteContentFile: env.existingFile('SITE_CONTENT_FILE'),
    newsletter: {
      webhookUrl: env.url('NEWSLETTER_WEBHOOK_URL', ['https:', 'http:']),
      webhookSecret: env.text('NEWSLETTER_WEBHOOK_SECRET', 1024),
    },
    principal: {
      email: normalizeEmail(env.email('PRINCIPAL_ADMIN_EMAIL', mayBeKnownEmail) ?? 'admin@portico.example'),
      password: env.password('PRINCIPAL_ADMIN_PASSWORD'),
    },
    auth: {
      signingKeyFile: env.existingFile('AUTH_SIGNING_KEY_FILE'),
      signup: env.oneOf('AUTH_SIGNUP', ['closed', 'open'], 'closed'),
      redirectUrls: readRedirectUrls(env, adminUrl === null ? [siteUrl] : [siteUrl, adminUrl]),
    },
    mail: {
      smtpUrl: env.url('SMTP_URL', ['smtp:', 'smtps:']),
      from: readMailFrom(env, brandName, contactEmail),
    },
    outgoing: {
      httpsProxy: env.url('HTTPS_PROXY', ['https:', 'http:']),
      noProxy: env.text('NO_PROXY', 2000),
      apis: readApis(env),
      checksFiles: env.oneOf('VENDOR_FILE_CHECKS', ['on', 'off'], 'on') === 'on',
    },
    trustProxy: env.trustProxy('TRUST_PROXY'),
    retention,
    countsVisits,
    logLevel: env.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    logRequests,
    metrics: readMetrics(env),
    tracing: readTracing(env),
    drainSeconds: env.integer('DRAIN_SECONDS', 0, 0, 300),
    perHour: {
      consent: env.integer('CHOICES_PER_HOUR', 40_000, 1_000, 100_000_000),
      event: env.integer('EVENTS_PER_HOUR', 100_000, 1_000, 100_000_000),
      newsletter: env.integer('SUBSCRIPTIONS_PER_HOUR', 6_000, 1_000, 100_000_000),
      'tag-report': env.integer('REPORTS_PER_HOUR', 1_000_000, 1_000, 1_000_000_000),
    },
    hsts: readHsts(env, siteUrl),
    backup: {
      everyMs: readBackupInterval(env, databaseUrl),
      keep: env.integer('BACKUP_KEEP', 7, 1, 1000),
      directory: resolve(env.text('BACKUP_DIR', 4096) ?? join(dataDir, 'backups')),
      recipient: env.ageRecipient('BACKUP_RECIPIENT'),
    },
  }
  if (env.faults.length > 0) throw new ConfigError(env.faults)
  return deepFreeze(config)
}

function readSecretKey(env: EnvReader, dataDir: string, databaseUrl: string | null): Config['secretKey'] {
  const faultsBefore = env.faults.length
  const file = env.existingFile('SECRET_KEY_FILE')
  if (databaseUrl !== null && file === null && env.faults.length === faultsBefore)
    env.fault(
      'SECRET_KEY_FILE',
      'é obrigatória com DATABASE_URL: os segredos ficam criptografados com uma chave guardada fora do banco. ' +
        'Crie o arquivo uma vez (npm run admin -- make-secret-key ARQUIVO), copie para cada máquina e guarde uma ' +
        'cópia segura. Bancos de versões anteriores são criptografados no primeiro início.',
    )
  return { file: file ?? join(dataDir, 'secret.key'), makeIfAbsent: file === null && databaseUrl === null }
}

function readApis(env: EnvReader): Config['outgoing']['apis'] {
  const graphVersion = env.text('META_GRAPH_VERSION', 10)
  if (graphVersion !== null && !/^v\d{1,3}\.0$/.test(graphVersion))
    env.fault('META_GRAPH_VERSION', 'precisa ter o formato v26.0')
  const apis: Record<string, { url?: string; version?: string }> =
    graphVersion === null ? {} : { meta: { version: graphVersion } }
  for (const [id, value] of Object.entries(env.pairs('DESTINATION_APIS'))) {
    const url = URL.parse(value)
    if (url?.protocol === 'https:' && url.origin === value) apis[id] = { ...apis[id], url: value }
    else if (/^v?\d[\d.]{0,11}$/.test(value)) apis[id] = { ...apis[id], version: value }
    else
      env.fault('DESTINATION_APIS', 'aceita uma versão (linkedin=202612) ou uma origem (meta=https://host)')
  }
  return apis
}

function readMetrics(env: EnvReader): Config['metrics'] {
  const token = env.secret('METRICS_TOKEN', MIN_TOKEN_LENGTH)
  const port = env.integer('METRICS_PORT', 0, 0, 65_535)
  return token === null && port === 0 ? null : { token, port: port === 0 ? null : port }
}

function readTracing(env: EnvReader): Config['tracing'] {
  const endpoint = env.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['https:', 'http:'])
  const headers = env.pairs('OTEL_EXPORTER_OTLP_HEADERS')
  const serviceName = env.text('OTEL_SERVICE_NAME', 255) ?? 'portico'
  return endpoint === null ? null : { endpoint: endpoint.replace(/(?<!\/)\/+$/, ''), headers, serviceName }
}

/** Subdomains may have no https yet: they are included on request only. */
function readHsts(env: EnvReader, siteUrl: string): string | null {
  const seconds = env.integer('HSTS_SECONDS', TWO_YEARS_SECONDS, 0, TWO_YEARS_SECONDS * 5)
  const subdomains = env.flag('HSTS_SUBDOMAINS') ? '; includeSubDomains' : ''
  return siteUrl.startsWith('https:') ? `max-age=${seconds}${subdomains}` : null
}

function readBackupInterval(env: EnvReader, databaseUrl: string | null): number | null {
  const interval = env.duration('BACKUP_EVERY', 60_000)
  if (interval !== null && databaseUrl !== null)
    return env.fault('BACKUP_EVERY', 'só vale para o banco embutido. Com PostgreSQL, agende o pg_dump')
  return interval
}

function readMailFrom(env: EnvReader, brandName: string, contactEmail: string): string {
  const value = env.text('MAIL_FROM', 320)
  if (value === null) return `${brandName} <${contactEmail}>`
  const address = /<([^<>]+)>$/.exec(value)?.[1] ?? value
  if (!isEmail(address)) env.fault('MAIL_FROM', 'precisa ser um e-mail ou "Nome <e-mail>"')
  return value
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (part !== null && typeof part === 'object') deepFreeze(part)
  return Object.freeze(value)
}

/** The release in `package.json`; a test compares the two. */
export const VERSION = '0.1.0'
