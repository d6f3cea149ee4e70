import { isIPv6 } from 'node:net'

/** Longer than any address: behind a trusted proxy the text is whatever the proxy passed on. */
const MAX_LENGTH = 64
const GROUPS = 8
const GROUPS_OF_A_NETWORK = 4

/** What one visitor is counted by: an IPv4 address, or the /64 of an IPv6 one, because a household holds a whole /64. */
export function addressBlock(address: string): string {
  const bare = address.split('%', 1)[0] ?? ''
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(bare)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(bare)) return bare.slice(0, MAX_LENGTH)
  const [head = '', tail] = bare.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, GROUPS - before.length - after.length)).fill('0')
  const network = [...before, ...zeros, ...after].slice(0, GROUPS_OF_A_NETWORK)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
