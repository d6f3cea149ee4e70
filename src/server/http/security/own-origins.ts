import type { FastifyRequest } from 'fastify'
import type { Config } from '#server/config.ts'

/** Host names of this installation. A policy with one of them would open the dashboard to every tag. */
export function ownHosts(config: Config): ReadonlySet<string> {
  const urls = [config.siteUrl, ...(config.adminUrl === null ? [] : [config.adminUrl])]
  return new Set(urls.map((url) => new URL(url).hostname))
}

/**
 * True if a public post comes from our own page, as far as the browser tells. Another site could make its visitors post
 * to us, each from their own address, past every limit; so could a neighbour on our site (`same-site`). Browsers send
 * the initiator on secure origins and the origin of a post elsewhere. Without both headers the caller is no browser.
 */
export function isFromOwnPage(request: FastifyRequest, siteUrl: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = request.headers
  // `none`: the person reloaded the response or restored a tab.
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  if (origin === undefined) return true
  // No page can choose the host that its visitors' browsers send: a page of that host is ours.
  const page = URL.parse(origin)
  return (
    ownOrigins(siteUrl).includes(origin) ||
    (page !== null && page.host === URL.parse(`${page.protocol}//${host}`)?.host)
  )
}

/** Addresses of the same place: on the local machine, `localhost` and `127.0.0.1`. */
export function ownOrigins(origin: string): string[] {
  const url = new URL(origin)
  const alias = LOOPBACK[url.hostname]
  if (alias === undefined) return [origin]
  const other = new URL(origin)
  other.hostname = alias
  return [origin, other.origin]
}

const LOOPBACK: Record<string, string> = { localhost: '127.0.0.1', '127.0.0.1': 'localhost' }
