import { lookup as resolve } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from '../http/is-public-address.ts'

/** The code of the error for a name that was typed in the dashboard and leads inside. */
export const NOT_PUBLIC = 'ENOTPUBLIC'

/** Resolves at the moment of connecting, so that a name which changes between two looks gains nothing. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0)
    const open = addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = open
    if (first === undefined) {
      const refusal: NodeJS.ErrnoException = new Error('the name leads to no public address')
      refusal.code = NOT_PUBLIC
      return callback(refusal, '', 0)
    }
    if (options.all === true) return callback(null, open)
    return callback(null, first.address, first.family)
  })
}
