import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseAddress } from './parse-address.ts'

/** Whatever is no address is counted together: a new text must never be a new allowance. */
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
export function neighbourhoodBlock(text: string): string | null {
  const address = parseAddress(text)
  if (address === null) return null
  if (!(address instanceof ipaddr.IPv4)) return blockOf(address, 48)
  return `${address.octets.slice(0, 3).join('.')}.0/24`
}

function blockOf(address: ipaddr.IPv6, bits: 48 | 64): string {
  const network = address.parts.map((part, index) => (index < bits / BITS_PER_PART ? part : 0))
  return `${new ipaddr.IPv6(network)}/${bits}`
}
