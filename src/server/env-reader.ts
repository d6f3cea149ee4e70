import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#contract/accounts.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#contract/durations.ts'
import { isEmail } from '#contract/email.ts'
import { isLoopbackHost } from '#contract/public-host.ts'
import { findUrlFault } from './postgres-url.ts'

const NAME = 'AUTH_REDIRECT_URLS'

const DEFAULT_PORTS: Record<string, string> = { 'https:': '443', 'http:': '80' }

/**
 * Where emailed links may lead with a code. Whole addresses; none on a host of ours, where third-party code may run.
 */
export function readRedirectUrls(env: EnvReader, own: readonly string[]): string[] {
  const parts = (env.text(NAME, 4096) ?? '').split(',').map((part) => part.trim())
  const urls: string[] = []
  for (const [index, part] of parts.filter((text) => text !== '').entries()) {
    const problem = problemOf(part, own)
    // The address may contain a password, so it is not echoed.
    if (problem === null) urls.push(new URL(part).href)
    else env.fault(NAME, `tem um problema no ${index + 1}º endereço: ${problem}`)
  }
  return urls
}

function problemOf(part: string, own: readonly string[]): string | null {
  if (!URL.canParse(part)) return 'não é um endereço completo, como https://app.exemplo.com.br/auth/callback'
  const url = new URL(part)
  const isLoopback = isLoopbackHost(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    return 'precisa começar com https:// (http:// só nesta máquina)'
  if (url.username !== '' || url.password !== '') return 'não pode ter usuário nem senha'
  if (part.includes('#')) return 'não pode ter fragmento (#)'
  if (part.includes('*')) return 'não pode ter curinga (*). Escreva cada endereço completo'
  if (url.hostname.endsWith('.')) return 'não pode ter domínio terminado em ponto'
  if (own.some((address) => isOwnHost(new URL(address), url, isLoopback)))
    return 'não pode usar o domínio do site nem o do painel'
  return null
}

/** On any port; on the local machine, where names do not differ, on the same port. */
function isOwnHost(own: URL, url: URL, isLoopback: boolean): boolean {
  if (isLoopback && isLoopbackHost(own.hostname)) return portOf(own) === portOf(url)
  return own.hostname.replace(/(?<!\.)\.+$/, '') === url.hostname
}

function portOf(url: URL): string {
  return url.port || (DEFAULT_PORTS[url.protocol] ?? '')
}

/** Reads typed values and collects errors, so that the operator sees all at once. */
export class EnvReader {
  readonly faults: string[] = []
  readonly #environment: Record<string, string | undefined>

  constructor(environment: Record<string, string | undefined>) {
    this.#environment = environment
  }

  fault(name: string, problem: string): null {
    this.faults.push(`${name} ${problem}`)
    return null
  }

  /** An empty value counts as absent: `.env` files often contain bare names. */
  #raw(name: string): string | null {
    return this.#whole(name)?.trim() || null
  }

  /** The variable, or the contents of the file in `NAME_FILE`: secrets are mounted as files. */
  #whole(name: string): string | null {
    const value = this.#environment[name] || null
    // A variable that names a file has no `_FILE` variant.
    const path = name.endsWith('_FILE') ? null : this.#environment[`${name}_FILE`]?.trim() || null
    if (path === null) return value
    if (value !== null) return this.fault(name, `e ${name}_FILE estão definidas. Deixe só uma`)
    return this.#readFile(`${name}_FILE`, resolve(path))
  }

  #readFile(name: string, path: string): string | null {
    try {
      const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
      return text === '' ? this.fault(name, `aponta para um arquivo vazio: ${path}`) : text
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return this.fault(name, `aponta para um arquivo que não foi possível ler (${code}): ${path}`)
    }
  }

  text(name: string, maxLength: number): string | null {
    const value = this.#raw(name)
    if (value !== null && value.length > maxLength)
      return this.fault(name, `tem mais de ${maxLength} caracteres`)
    return value
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.#raw(name)
    if (value === null) return fallback
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    this.fault(name, `precisa ser um número inteiro de ${min} a ${max}. Recebido: "${value}"`)
    return fallback
  }

  oneOf<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.#raw(name)
    if (value === null) return fallback
    const choice = choices.find((candidate) => candidate === value)
    if (choice === undefined)
      this.fault(name, `precisa ser uma destas opções: ${choices.join(', ')}. Recebido: "${value}"`)
    return choice ?? fallback
  }

  flag(name: string): boolean {
    return this.oneOf(name, ['true', 'false'], 'false') === 'true'
  }

  /** Never echoed. Spaces would not survive the header that carries it. */
  secret(name: string, minLength: number): string | null {
    const value = this.#raw(name)
    if (value === null || (value.length >= minLength && /^[\x21-\x7e]+$/.test(value))) return value
    return this.fault(name, `precisa ter pelo menos ${minLength} caracteres, sem espaços nem acentos`)
  }

  /** `90s`, `15m`, `24h` or `7d`, in milliseconds. */
  duration(name: string, min: number): number | null {
    const value = this.#raw(name)
    if (value === null) return null
    const [, number = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(value) ?? []
    const ms = Number(number) * (UNIT_MS[unit] ?? Number.NaN)
    if (ms >= min) return ms
    if (ms < min) return this.fault(name, `é curto demais: "${value}". O mínimo é ${showDuration(min)}`)
    return this.fault(name, `precisa ser um intervalo como 15m, 24h ou 7d. Recebido: "${value}"`)
  }

  /** `name=value,name=value`, percent-encoded, as OpenTelemetry writes headers. Never echoed. */
  pairs(name: string): Record<string, string> {
    const parts = (this.#raw(name) ?? '').split(',').filter((part) => part.trim() !== '')
    try {
      return Object.fromEntries(
        parts.map((part) => {
          const equals = part.indexOf('=')
          const key = part.slice(0, equals).trim()
          if (equals === -1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(key)) throw new Error('not a pair')
          return [decodeURIComponent(key), decodeURIComponent(part.slice(equals + 1).trim())]
        }),
      )
    } catch {
      this.fault(name, 'precisa ter o formato nome=valor,nome=valor')
      return {}
    }
  }

  /** Checks the format only; the library checks the rest. */
  ageRecipient(name: string): string | null {
    const value = this.#raw(name)
    if (value === null || /^age1[0-9a-z]{20,}$/.test(value)) return value
    return this.fault(
      name,
      value.startsWith('AGE-SECRET-KEY')
        ? 'está com a chave secreta. Use a chave pública, que começa com age1, e guarde a secreta em outro lugar'
        : 'precisa ser uma chave pública age, que começa com age1',
    )
  }

  email(name: string, passes = isEmail): string | null {
    const value = this.#raw(name)
    if (value !== null && !passes(value))
      return this.fault(name, `precisa ser um e-mail válido. Recebido: "${value}"`)
    return value
  }

  digits(name: string, min: number, max: number): string | null {
    const value = this.#raw(name)
    if (value === null) return null
    const digits = value.replace(/[\s()+.-]/g, '')
    if (/^\d+$/.test(digits) && digits.length >= min && digits.length <= max) return digits
    return this.fault(
      name,
      `precisa ter de ${min} a ${max} dígitos, com o código do país. Recebido: "${value}"`,
    )
  }

  cnpj(name: string): string | null {
    const value = this.#raw(name)
    // Letters are allowed since the alphanumeric CNPJ of July 2026 (IN RFB 2.229/2024).
    if (value === null || /^[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}\/?[0-9A-Z]{4}-?\d{2}$/.test(value))
      return value
    return this.fault(name, `precisa ter o formato 00.000.000/0000-00. Recebido: "${value}"`)
  }

  /** Values that can contain credentials are never echoed. */
  url(name: string, protocols: readonly string[]): string | null {
    const value = this.#raw(name)
    if (value === null) return null
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value
    const schemes = protocols.map((protocol) => `${protocol}//`).join(' ou ')
    return this.fault(name, `precisa ser um endereço que comece com ${schemes}`)
  }

  /** PostgreSQL's addresses are looser than the URL standard: a socket directory leaves the host empty. */
  postgresUrl(name: string): string | null {
    const value = this.#raw(name)
    const fault = value === null ? null : findUrlFault(value)
    return fault === null ? value : this.fault(name, fault)
  }

  origin(name: string): string | null {
    const value = this.url(name, ['https:', 'http:'])
    if (value === null) return null
    const url = new URL(value)
    if (url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '') return url.origin
    return this.fault(name, 'precisa ser só o endereço do site, sem caminho, como https://www.exemplo.com.br')
  }

  password(name: string): string | null {
    const value = this.#whole(name)
    if (value === null) return null
    if (value.length >= PASSWORD_MIN_LENGTH && value.length <= PASSWORD_MAX_LENGTH) return value
    return this.fault(name, `precisa ter de ${PASSWORD_MIN_LENGTH} a ${PASSWORD_MAX_LENGTH} caracteres`)
  }

  existingFile(name: string): string | null {
    const value = this.#raw(name)
    if (value === null) return null
    const path = resolve(value)
    return existsSync(path) ? path : this.fault(name, `aponta para um arquivo que não existe: ${path}`)
  }

  trustProxy(name: string): boolean | number | string[] {
    const value = this.#raw(name)
    if (value === null || value === 'false' || value === '0') return false
    if (value === 'true') return true
    if (/^\d{1,2}$/.test(value)) return Number(value)
    const proxies = value.split(',').map((part) => part.trim())
    const bad = proxies.filter(
      (proxy) => !NAMED_RANGES.has(proxy) && !ipaddr.isValid(proxy) && !ipaddr.isValidCIDR(proxy),
    )
    if (bad.length > 0)
      this.fault(
        name,
        `precisa ser true, false, um número de proxies ou uma lista de endereços IP. "${bad[0]}" não é válido`,
      )
    return proxies
  }
}

const UNIT_MS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** As it would be written. */
function showDuration(ms: number): string {
  const unit = ['d', 'h', 'm'].find((candidate) => ms % (UNIT_MS[candidate] ?? 1) === 0) ?? 's'
  return `${ms / (UNIT_MS[unit] ?? 1)}${unit}`
}

const NAMED_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal'])
