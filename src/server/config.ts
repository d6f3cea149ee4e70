import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { isEmail, normalizeEmail } from '#contract/email-pattern.ts'
import type { SiteInfo } from '#contract/site.ts'
import { EnvReader } from './env-reader.ts'

export interface Config {
  readonly host: string
  readonly port: number
  /** Public origin, without a trailing slash. */
  readonly siteUrl: string
  /** Origin of the dashboard and its services when they live on a host of their own. */
  readonly adminUrl: string | null
  readonly dataDir: string
  /** PostgreSQL when set, else the embedded database in `dataDir`. */
  readonly databaseUrl: string | null
  readonly site: SiteInfo
  readonly newsletter: { readonly webhookUrl: string | null; readonly webhookSecret: string | null }
  readonly principal: { readonly email: string; readonly password: string | null }
  readonly auth: { readonly signingKeyFile: string | null; readonly signup: 'closed' | 'open' }
  readonly mail: { readonly smtpUrl: string | null; readonly from: string }
  /** false: the socket's address; true, a hop count or a list of proxies: what X-Forwarded-For says behind them. */
  readonly trustProxy: boolean | number | string[]
  readonly logLevel: LogLevel
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Every fault of the environment at once, ready to be shown to the operator. */
export class ConfigError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(
      `A configuração tem ${faults.length === 1 ? 'um erro' : `${faults.length} erros`}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** The process's environment over the `.env` file of the working directory: the only place that reads either. */
export function readEnvironment(directory = process.cwd()): Record<string, string | undefined> {
  const file = join(directory, '.env')
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  return { ...fromFile, ...process.env }
}

export function parseConfig(environment: Record<string, string | undefined>): Config {
  const env = new EnvReader(environment)
  const port = env.integer('PORT', 3000, 0, 65_535)
  const siteUrl = env.origin('SITE_URL') ?? `http://localhost:${port}`
  const adminUrl = env.origin('ADMIN_URL')
  const ownBrand = env.text('BRAND_NAME', 80)
  const brandName = ownBrand ?? 'Pórtico'
  const contactEmail = env.email('CONTACT_EMAIL') ?? 'contato@portico.example'
  const appUrl = env.url('APP_URL', ['https:', 'http:']) ?? 'https://app.portico.example'
  const base = appUrl.replace(/\/+$/, '')
  const config: Config = {
    host: env.text('HOST', 255) ?? '127.0.0.1',
    port,
    siteUrl,
    adminUrl: adminUrl === siteUrl ? null : adminUrl,
    dataDir: resolve(env.text('DATA_DIR', 4096) ?? './data'),
    databaseUrl: env.postgresUrl('DATABASE_URL'),
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
    },
    newsletter: {
      webhookUrl: env.url('NEWSLETTER_WEBHOOK_URL', ['https:', 'http:']),
      webhookSecret: env.text('NEWSLETTER_WEBHOOK_SECRET', 1024),
    },
    principal: {
      email: normalizeEmail(env.email('PRINCIPAL_ADMIN_EMAIL') ?? 'admin@portico.example'),
      password: env.password('PRINCIPAL_ADMIN_PASSWORD'),
    },
    auth: {
      signingKeyFile: env.existingFile('AUTH_SIGNING_KEY_FILE'),
      signup: env.oneOf('AUTH_SIGNUP', ['closed', 'open'], 'closed'),
    },
    mail: {
      smtpUrl: env.url('SMTP_URL', ['smtp:', 'smtps:']),
      from: readMailFrom(env, brandName, contactEmail),
    },
    trustProxy: env.trustProxy('TRUST_PROXY'),
    logLevel: env.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  }
  if (env.faults.length > 0) throw new ConfigError(env.faults)
  return deepFreeze(config)
}

function readMailFrom(env: EnvReader, brandName: string, contactEmail: string): string {
  const value = env.text('MAIL_FROM', 320)
  if (value === null) return `${brandName} <${contactEmail}>`
  const address = /<([^<>]+)>$/.exec(value)?.[1] ?? value
  if (!isEmail(address)) env.fault('MAIL_FROM', 'deve ser um e-mail, ou "Nome <e-mail>"')
  return value
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (part !== null && typeof part === 'object') deepFreeze(part)
  return Object.freeze(value)
}
