import { connect } from 'node:tls'
import { formatCount } from '#contract/format-count.ts'
import type { Config } from '#server/config.ts'
import { publicPolicy } from '#server/http/security/content-security-policy.ts'
import { pageHeaders } from '#server/http/security/headers.ts'
import { bad, type Finding, ok, reasonOf, warn } from './finding.ts'

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
      checkClock(page.headers.get('date')),
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

function checkClock(date: string | null): Finding {
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
