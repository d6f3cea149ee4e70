import { compile } from '@fastify/proxy-addr'
import type { Config } from '../config.ts'
import { parseAddress } from './parse-address.ts'

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
