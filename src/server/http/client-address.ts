import { isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { parseAddress } from './parse-address.ts'

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
