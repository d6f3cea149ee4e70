import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv4 } from 'node:net'
import { all, compile } from '@fastify/proxy-addr'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Config } from '#server/config.ts'

/** Everything that is no address is counted together: a new text must never get a new limit. */
const UNKNOWN = 'unknown'

const BITS_PER_PART = 16

/** The keys for counting a call: the visitor's own, and the network around it, if any. */
export function countedBlocks(text: string): { own: string; network: string | null } {
  if (isIPv4(text)) return { own: text, network: null }
  const address = parseAddress(text)
  if (address === null) return { own: UNKNOWN, network: null }
  if (address instanceof ipaddr.IPv4) return { own: address.toString(), network: null }
  return { own: blockOf(address, 64), network: blockOf(address, 48) }
}

/** The key of one visitor: an IPv4 address, or the /64 of an IPv6 one, because a household has a whole /64. */
export function addressBlock(text: string): string {
  return countedBlocks(text).own
}

/** The /48 around an address or its block, of which one customer may have all 65,536; null for IPv4. */
export function networkBlock(text: string): string | null {
  const address = parseAddress(text.replace(/\/64$/, ''))
  return address === null || address instanceof ipaddr.IPv4 ? null : blockOf(address, 48)
}

/** A coarse network that helps a person to recognise it and identifies no household; null if unknown. */
export function coarseNetwork(text: string): string | null {
  const address = parseAddress(text)
  if (address === null) return null
  if (!(address instanceof ipaddr.IPv4)) return blockOf(address, 48)
  return `${address.octets.slice(0, 3).join('.')}.0/24`
}

function blockOf(address: ipaddr.IPv6, bits: 48 | 64): string {
  const network = address.parts.map((part, index) => (index < bits / BITS_PER_PART ? part : 0))
  return `${new ipaddr.IPv6(network)}/${bits}`
}

/** Addresses forwarded by trusted callers. */
const forwarded = new WeakMap<object, string>()

/**
 * Uses the first address of a forwarding header as the caller's. Only for trusted callers; anything that is no address
 * is ignored.
 */
export function forwardAddress(request: object, header: string): void {
  const address = parseAddress(header.split(',', 1)[0] ?? '')
  if (address !== null) forwarded.set(request, address.toString())
}

/**
 * The caller's address in canonical form. Behind a trusted proxy it is what the proxy says; if that is no address, it
 * is the proxy itself, never the text.
 */
export function clientAddress(request: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  const visitor = forwarded.get(request)
  if (visitor !== undefined) return visitor
  const hops = request.ips ?? [request.ip]
  for (const hop of hops.toReversed()) {
    // Already canonical; every public call passes here more than once.
    if (isIPv4(hop ?? '')) return hop ?? ''
    // A closed or local socket has none.
    const address = parseAddress(hop ?? '')
    if (address !== null) return address.toString()
  }
  return 'unknown'
}

/** The same for a request that the framework does not see, from its socket and its `X-Forwarded-For`. */
export function createAddressReader(
  value: Config['trustProxy'],
): (socketAddress: string | undefined, forwardedFor: string | undefined) => string {
  const trust = toTrustProxy(value)
  if (trust === false) return (ip = '') => clientAddress({ ip })
  const trusts = trust === true ? () => true : trust
  return (remoteAddress = '', forwardedFor) => {
    const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwardedFor } }
    return clientAddress({ ip: remoteAddress, ips: all(request as unknown as IncomingMessage, trusts) })
  }
}

/** All IPv6 space for public use. Everything outside, including `::/96` and translated IPv4, is not public. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** `::8.8.8.8`, which ipaddr.js takes for the mapped IPv4 address. */
const COMPATIBLE = new BlockList()

COMPATIBLE.addSubnet('::', 96, 'ipv6')

/** Not this machine, its network, a cloud's metadata services, or a special address. */
export function isPublicAddress(text: string): boolean {
  // The usual case, once for each view of a page.
  if (isIPv4(text)) return ipaddr.IPv4.parse(text).range() === 'unicast'
  if (!ipaddr.isValid(text) || (text.includes(':') && COMPATIBLE.check(text, 'ipv6'))) return false
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST)
}

type TrustProxy = boolean | ((address: string, hop: number) => boolean)

/** The framework accepts a hop count only as a function, and would not recognise a proxy whose address has a port. */
export function toTrustProxy(value: Config['trustProxy']): TrustProxy {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return (_address, hop) => hop < value
  const trusts = compile(value)
  return (text, hop) => {
    const address = parseAddress(text)
    return address !== null && trusts(address.toString(), hop)
  }
}

/** An address, or one with a port as some proxies send it: `203.0.113.9:41234`, `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:\[(?<six>[^\]]+)\]|(?<four>[\d.]+))(?::\d{1,5})?$/

/** IPv4 written as IPv6: mapped by this machine, or translated for a server with IPv6 only (RFC 6052). */
const EMBEDDED_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'].map((range) => ipaddr.IPv6.parseCIDR(range))

/** The longest IPv6 text with brackets, zone and port is shorter. */
const MAX_LENGTH = 80

/** Null for anything but one address: behind a proxy, the text comes from a header. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (text.length > MAX_LENGTH) return null
  const bare = text.trim()
  const { four, six = bare } = WITH_PORT.exec(bare)?.groups ?? {}
  // The library also reads `0x7f.1` and `127.1`, which no proxy sends.
  if (four !== undefined) return ipaddr.IPv4.isValidFourPartDecimal(four) ? ipaddr.IPv4.parse(four) : null
  if (!ipaddr.IPv6.isValid(six)) return null
  const address = ipaddr.IPv6.parse(six)
  if (EMBEDDED_IPV4.some((range) => address.match(range)))
    return new ipaddr.IPv4(address.toByteArray().slice(12))
  // Without its zone, which names an interface of this machine.
  return new ipaddr.IPv6(address.parts)
}
