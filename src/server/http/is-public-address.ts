import { BlockList } from 'node:net'
import ipaddr from 'ipaddr.js'

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
