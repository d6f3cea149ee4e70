import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { type ConfigError, parseConfig } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'portico-env-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const keyFile = join(folder, 'secret.key')
writeFileSync(keyFile, '')

/** A value of each variable that differs from its default. */
const VALUES: Record<string, string> = {
  PORT: '4001',
  HOST: '0.0.0.0',
  SITE_URL: 'https://www.exemplo.com.br',
  ADMIN_URL: 'https://painel.exemplo.com.br',
  TRUST_PROXY: '2',
  DATA_DIR: '/var/lib/portico',
  DATABASE_URL: 'postgres://portico:segredo@db/portico',
  DATABASE_POOL_SIZE: '4',
  BRAND_NAME: 'Outra',
  CONTACT_EMAIL: 'ola@exemplo.com.br',
  CONTACT_PHONE: '+55 11 3000-0000',
  WHATSAPP_NUMBER: '5511900000000',
  APP_URL: 'https://app.exemplo.com.br',
  LINKEDIN_URL: 'https://linkedin.example/outra',
  INSTAGRAM_URL: 'https://instagram.example/outra',
  COMPANY_LEGAL_NAME: 'Outra S.A.',
  COMPANY_CNPJ: '12.345.678/0001-90',
  DPO_EMAIL: 'dados@exemplo.com.br',
  NEWSLETTER_WEBHOOK_URL: 'https://ganchos.exemplo.com.br/',
  NEWSLETTER_WEBHOOK_SECRET: 'segredo',
  HTTPS_PROXY: 'http://proxy.exemplo.com.br:3128/',
  NO_PROXY: 'interno.exemplo.com.br',
  META_GRAPH_VERSION: 'v25.0',
  DESTINATION_APIS: 'linkedin=202612',
  PRINCIPAL_ADMIN_EMAIL: 'ana@exemplo.com.br',
  PRINCIPAL_ADMIN_PASSWORD: ' ponte lilas grafite 58 ',
  AUTH_SIGNUP: 'open',
  AUTH_REDIRECT_URLS: 'https://app.exemplo.com.br/entrar',
  SMTP_URL: 'smtp://portico:segredo@mail:587',
  MAIL_FROM: 'Outra <ola@exemplo.com.br>',
  RETENTION_CONSENT_DAYS: '10',
  RETENTION_AUDIT_DAYS: '11',
  RETENTION_FAILED_LOGIN_DAYS: '12',
  RETENTION_REPORT_DAYS: '13',
  RETENTION_VISIT_DAYS: '14',
  VISIT_COUNTS: 'off',
  LOG_LEVEL: 'warn',
  LOG_REQUESTS: 'true',
  VENDOR_FILE_CHECKS: 'off',
  METRICS_TOKEN: 'um-segredo-bem-longo',
  METRICS_PORT: '9464',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc',
  OTEL_SERVICE_NAME: 'outra',
  DRAIN_SECONDS: '5',
  CHOICES_PER_HOUR: '80000',
  EVENTS_PER_HOUR: '200000',
  REPORTS_PER_HOUR: '2000000',
  SUBSCRIPTIONS_PER_HOUR: '9000',
  HSTS_SECONDS: '600',
  HSTS_SUBDOMAINS: 'true',
  BACKUP_EVERY: '24h',
  BACKUP_KEEP: '3',
  BACKUP_DIR: '/var/backups/portico',
  BACKUP_RECIPIENT: 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
}

/** Other variables that a variable needs. */
const NEEDS: Record<string, Record<string, string>> = {
  OTEL_EXPORTER_OTLP_HEADERS: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' },
  OTEL_SERVICE_NAME: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' },
  HSTS_SECONDS: { SITE_URL: 'https://www.exemplo.com.br' },
  HSTS_SUBDOMAINS: { SITE_URL: 'https://www.exemplo.com.br' },
}

const NAMES = Object.keys(parseEnv(readFileSync('.env.example', 'utf8'))).filter(
  (name) => !name.endsWith('_FILE'),
)

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    parseConfig(env)
    return []
  } catch (error) {
    return (error as ConfigError).faults
  }
}

test('the table has every variable', () => {
  expect(Object.keys(VALUES).sort()).toEqual([...NAMES].sort())
})

test.each(NAMES)('%s_FILE is equivalent to %s', (name) => {
  const value = VALUES[name] ?? ''
  const rest = { SECRET_KEY_FILE: keyFile, ...NEEDS[name] }
  const direct = parseConfig({ ...rest, [name]: value })
  expect(direct).not.toEqual(parseConfig(rest))
  // As an editor, `echo` or Windows ends a file.
  for (const end of ['', '\n', '\r\n'])
    expect(parseConfig({ ...rest, [`${name}_FILE`]: write(name, `${value}${end}`) })).toEqual(direct)
})

test('refuses both at once', () => {
  expect(faultsOf({ BRAND_NAME: 'A', BRAND_NAME_FILE: write('brand', 'B') })).toEqual([
    'BRAND_NAME e BRAND_NAME_FILE estão definidas. Deixe só uma',
  ])
})

test('reports an unreadable file by name, without its contents', () => {
  const missing = join(folder, 'missing')
  const directory = join(folder, 'directory')
  mkdirSync(directory)
  const empty = write('empty', '\n')
  expect(faultsOf({ SMTP_URL_FILE: missing, BRAND_NAME_FILE: directory, MAIL_FROM_FILE: empty })).toEqual([
    `BRAND_NAME_FILE aponta para um arquivo que não foi possível ler (EISDIR): ${directory}`,
    `SMTP_URL_FILE aponta para um arquivo que não foi possível ler (ENOENT): ${missing}`,
    `MAIL_FROM_FILE aponta para um arquivo vazio: ${empty}`,
  ])
  const secret = write('secret', 'http://segredo@outro')
  chmodSync(secret, 0o600)
  expect(faultsOf({ SMTP_URL_FILE: secret }).join()).not.toContain('segredo')
})

test('a variable that names a file is not read from one', () => {
  expect(parseConfig({ SECRET_KEY_FILE: keyFile, SECRET_KEY_FILE_FILE: keyFile }).secretKey.file).toBe(
    keyFile,
  )
})

test('distinguishes an interval that is too short from an invalid one', () => {
  expect(faultsOf({ BACKUP_EVERY: '30s' })).toEqual(['BACKUP_EVERY é curto demais: "30s". O mínimo é 1m'])
  expect(faultsOf({ BACKUP_EVERY: 'daily' })).toEqual([
    'BACKUP_EVERY precisa ser um intervalo como 15m, 24h ou 7d. Recebido: "daily"',
  ])
})
