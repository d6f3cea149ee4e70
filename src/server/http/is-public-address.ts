import ipaddr from 'ipaddr.js'

/** IPv4 inside of IPv6, which a gateway may translate to anything (RFC 6052, RFC 8215). */
const TRANSLATED = ['64:ff9b::/96', '64:ff9b:1::/48'].map((range) => ipaddr.IPv6.parseCIDR(range))

/** Not this machine, its network, a cloud's own services, or an address that stands for something else. */
export function isPublicAddress(text: string): boolean {
  const address = read(text)
  if (address === null) return false
  if (address.range() !== 'unicast') return false
  return !(address instanceof ipaddr.IPv6 && TRANSLATED.some((range) => address.match(range)))
}

function read(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  try {
    return ipaddr.process(text)
  } catch {
    return null
  }
}
