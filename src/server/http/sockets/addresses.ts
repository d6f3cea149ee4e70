import { BlockList, isIPv4 } from 'node:net'
import { compile } from '@fastify/proxy-addr'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Config } from '#server/config.ts'

/** Whatever is no address is counted together: a new text must never be a new limit. */
const UNKNOWN = 'unknown'

const BITS_PER_PART = 16

/** By what a call is counted, from one reading of its address: the visitor's own, and the network around it if there is one. */
export function countedBlocks(text: string): { own: string; network: string | null } {
  if (isIPv4(text)) return { own: text, network: null }
  const address = parseAddress(text)
  if (address === null) return { own: UNKNOWN, network: null }
  if (address instanceof ipaddr.IPv4) return { own: address.toString(), network: null }
  return { own: blockOf(address, 64), network: blockOf(address, 48) }
}

/** What one visitor is counted by: an IPv4 address, or the /64 of an IPv6 one, because a household holds a whole /64. */
export function addressBlock(text: string): string {
  return countedBlocks(text).own
}

/** The /48 around an address or its block, of which one customer may hold all 65,536; null where there is none (IPv4). */
export function networkBlock(text: string): string | null {
  const address = parseAddress(text.replace(/\/64$/, ''))
  return address === null || address instanceof ipaddr.IPv4 ? null : blockOf(address, 48)
}

/** The neighbourhood of an address, which helps a person to recognise it and names no household; null when unknown. */
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

/** Of calls that somebody makes for others and proved that they may. */
const forwarded = new WeakMap<object, string>()

/**
 * Takes the first address of a forwarding header for where a call comes from. Only for a caller whom we trust to say so;
 * what is no address changes nothing.
 */
export function forwardAddress(request: object, header: string): void {
  const address = parseAddress(header.split(',', 1)[0] ?? '')
  if (address !== null) forwarded.set(request, address.toString())
}

/**
 * Where a call comes from, as one canonical text. Behind a trusted proxy that is what the proxy says; where it says
 * something that is no address, it is the proxy itself, and never the text.
 */
export function clientAddress(request: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  const visitor = forwarded.get(request)
  if (visitor !== undefined) return visitor
  const hops = request.ips ?? [request.ip]
  for (const hop of hops.toReversed()) {
    // In the one spelling already; every public call comes here, and more than once.
    if (isIPv4(hop ?? '')) return hop ?? ''
    // A socket that is gone, or a local one, has none.
    const address = parseAddress(hop ?? '')
    if (address !== null) return address.toString()
  }
  return 'unknown'
}

/** All that is handed out of IPv6 for public use. Whatever lies outside, `::/96` and translated IPv4 included, is not. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** `::8.8.8.8`, which ipaddr.js takes for the mapped IPv4 address. */
const COMPATIBLE = new BlockList()

COMPATIBLE.addSubnet('::', 96, 'ipv6')

/** Not this machine, its network, a cloud's own services, or an address that stands for something else. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || (text.includes(':') && COMPATIBLE.check(text, 'ipv6'))) return false
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST)
}

type TrustProxy = boolean | ((address: string, hop: number) => boolean)

/** The framework takes a hop count only as a function, and would not know a proxy again whose address has a port. */
export function toTrustProxy(value: Config['trustProxy']): TrustProxy {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return (_address, hop) => hop < value
  const trusts = compile(value)
  return (text, hop) => {
    const address = parseAddress(text)
    return address !== null && trusts(address.toString(), hop)
  }
}

/** An address, or one with a port: `203.0.113.9:41234`, `[2001:db8::1]:443`, as some proxies pass it on. */
const WITH_PORT = /^(?:\[(?<six>[^\]]+)\]|(?<four>[\d.]+))(?::\d{1,5})?$/

/** IPv4 written as IPv6: mapped by this machine, or translated for a server that only speaks IPv6 (RFC 6052). */
const EMBEDDED_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'].map((range) => ipaddr.IPv6.parseCIDR(range))

/** The longest IPv6 text, brackets, zone and port included, is shorter. */
const MAX_LENGTH = 80

/** Null for whatever is not one address: behind a proxy, the text is what somebody wrote into a header. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
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
