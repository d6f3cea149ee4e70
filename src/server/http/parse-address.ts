import ipaddr from 'ipaddr.js'

/** An address, or one with a port: `203.0.113.9:41234`, `[2001:db8::1]:443`, as some proxies pass it on. */
const WITH_PORT = /^(?:\[(?<six>[^\]]+)\]|(?<four>[\d.]+))(?::\d{1,5})?$/
/** IPv4 written as IPv6: mapped by this machine, or translated for a server that only speaks IPv6 (RFC 6052). */
const EMBEDDED_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'].map((range) => ipaddr.IPv6.parseCIDR(range))
/** The longest IPv6 text, brackets, zone and port included, is shorter. */
const MAX_LENGTH = 80

/** Null for whatever is not one address: behind a proxy, the text is what somebody wrote into a header. */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (text.length > MAX_LENGTH) return null
  const bare = text.trim()
  const { four, six = bare } = WITH_PORT.exec(bare)?.groups ?? {}
  // The library also reads `0x7f.1` and `127.1`; no proxy writes those.
  if (four !== undefined) return ipaddr.IPv4.isValidFourPartDecimal(four) ? ipaddr.IPv4.parse(four) : null
  if (!ipaddr.IPv6.isValid(six)) return null
  const address = ipaddr.IPv6.parse(six)
  if (EMBEDDED_IPV4.some((range) => address.match(range)))
    return new ipaddr.IPv4(address.toByteArray().slice(12))
  // Without its zone, which names an interface of this machine and not the sender.
  return new ipaddr.IPv6(address.parts)
}
