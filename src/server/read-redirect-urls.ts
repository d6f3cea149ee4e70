import type { EnvReader } from './env-reader.ts'

const NAME = 'AUTH_REDIRECT_URLS'
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const DEFAULT_PORTS: Record<string, string> = { 'https:': '443', 'http:': '80' }

/** Where links in mails may lead with a code. Whole addresses; none on a host of our own, where other people's code may run. */
export function readRedirectUrls(env: EnvReader, own: readonly string[]): string[] {
  const parts = (env.text(NAME, 4096) ?? '').split(',').map((part) => part.trim())
  const urls: string[] = []
  for (const [index, part] of parts.filter((text) => text !== '').entries()) {
    const problem = problemOf(part, own)
    // The address itself may carry a password, so it is not echoed.
    if (problem === null) urls.push(new URL(part).href)
    else env.fault(NAME, `tem no ${index + 1}º endereço um problema: ${problem}`)
  }
  return urls
}

function problemOf(part: string, own: readonly string[]): string | null {
  if (!URL.canParse(part)) return 'não é um endereço completo, como https://app.exemplo.com.br/auth/callback'
  const url = new URL(part)
  const isLoopback = LOOPBACK.includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    return 'deve começar com https:// (http:// só nesta máquina)'
  if (url.username !== '' || url.password !== '') return 'não pode ter usuário nem senha'
  if (part.includes('#')) return 'não pode ter fragmento (#)'
  if (part.includes('*')) return 'não pode ter curingas (*): escreva cada endereço por inteiro'
  if (url.hostname.endsWith('.')) return 'não pode ter o nome do host terminado em ponto'
  if (own.some((address) => isOwnHost(new URL(address), url, isLoopback)))
    return 'não pode estar no host do site nem no do painel'
  return null
}

/** On any port; on this machine, where names tell nothing apart, on the same port. */
function isOwnHost(own: URL, url: URL, isLoopback: boolean): boolean {
  if (isLoopback && LOOPBACK.includes(own.hostname)) return portOf(own) === portOf(url)
  return own.hostname.replace(/(?<!\.)\.+$/, '') === url.hostname
}

function portOf(url: URL): string {
  return url.port || (DEFAULT_PORTS[url.protocol] ?? '')
}
