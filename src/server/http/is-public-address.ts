import ipaddr from 'ipaddr.js'

/** All that is handed out of IPv6 for public use. Whatever lies outside, `::/96` and translated IPv4 included, is not. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Not this machine, its network, a cloud's own services, or an address that stands for something else. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST)
}
