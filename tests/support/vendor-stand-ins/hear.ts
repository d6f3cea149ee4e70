import type { Hear, VendorRequest } from './stand-in.ts'

const isAt = ({ host, path }: VendorRequest, address: string) => host + path === address

/** Event and account are in the query, under these names. */
export function inQuery(address: string, event: string, account: string): Hear {
  return (request) => {
    if (!isAt(request, address)) return null
    return { event: request.query.get(event) ?? '', account: request.query.get(account) ?? '' }
  }
}

/** They are in a JSON body. */
export function inBody(address: string, event: string, account: string): Hear {
  return (request) => {
    if (!isAt(request, address) || request.body === '') return null
    const body = JSON.parse(request.body) as Record<string, string>
    return { event: body[event] ?? '', account: body[account] ?? '' }
  }
}
