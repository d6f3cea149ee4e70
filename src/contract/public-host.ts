const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

const MAX_LENGTH = 253

/** A plain host name in lower case: no scheme, port, path, address or wildcard, because it becomes part of a policy. */
export function isHostName(text: string): boolean {
  const labels = text.split('.')
  return (
    text.length <= MAX_LENGTH &&
    labels.length >= 2 &&
    labels.every((label) => LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  )
}

/** The local machine, as `URL.hostname` writes it. Browsers treat its pages as secure without TLS. */
export function isLoopbackHost(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

const RESERVED_ENDINGS = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'home.arpa',
  'onion',
]

/**
 * A public host name in canonical form, or null. Addresses, wildcards, ports, single labels and private names are
 * refused: the result can be used in a policy.
 */
export function parsePublicHost(text: string): string | null {
  const name = text.trim().toLowerCase().replace(/\.$/, '')
  if (name.length === 0 || name.length > MAX_LENGTH || !URL.canParse(`https://${name}/`)) return null
  const { hostname, href } = new URL(`https://${name}/`)
  if (href !== `https://${hostname}/`) return null
  const labels = hostname.split('.')
  if (labels.length < 2 || !labels.every(isLabel)) return null
  // A last label without a letter is an IPv4 address or a mistake (RFC 3696, 2).
  if (!/[a-z]/.test(labels.at(-1) ?? '')) return null
  const isReserved = RESERVED_ENDINGS.some((ending) => hostname.endsWith(`.${ending}`))
  return isReserved ? null : hostname
}

function isLabel(label: string): boolean {
  return /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label)
}

/** An address typed for a webhook: public, and with nothing that a log or another page may not see. */
export function isWebhookAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { username, password, hash } = new URL(address)
  return username === '' && password === '' && hash === '' && publicHostOf(address) !== null
}

/** The public host of an absolute `https` address on the standard port, or null. */
export function publicHostOf(address: string): string | null {
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  return url.protocol === 'https:' && url.port === '' ? parsePublicHost(url.hostname) : null
}
