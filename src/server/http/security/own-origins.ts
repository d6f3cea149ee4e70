import type { FastifyRequest } from 'fastify'
import type { Config } from '#server/config.ts'

/** Names of this installation. A policy that allowed one would open the dashboard to every tag. */
export function ownHosts(config: Config): ReadonlySet<string> {
  const urls = [config.siteUrl, ...(config.adminUrl === null ? [] : [config.adminUrl])]
  return new Set(urls.map((url) => new URL(url).hostname))
}

/**
 * Whether a public post comes from a page of ours, as far as a browser says so. A page elsewhere could make its visitors
 * post to us, each from an address of their own, past every limit; a neighbour on our site (`same-site`) could as well.
 * Browsers name the initiator on secure origins and, on all others, the origin of a post. Where both are absent the
 * caller is no browser, and there is nothing to judge by.
 */
export function isFromOwnPage(request: FastifyRequest, siteUrl: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = request.headers
  // `none`: the person did it, by reloading the answer or restoring a tab.
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  if (origin === undefined) return true
  // No page can choose the host that its visitors' browsers name: the asked host's own page is ours.
  const page = URL.parse(origin)
  return (
    ownOrigins(siteUrl).includes(origin) ||
    (page !== null && page.host === URL.parse(`${page.protocol}//${host}`)?.host)
  )
}

/** The addresses by which one and the same place is reached: on this machine, `localhost` and `127.0.0.1` are one. */
export function ownOrigins(origin: string): string[] {
  const url = new URL(origin)
  const alias = LOOPBACK[url.hostname]
  if (alias === undefined) return [origin]
  const other = new URL(origin)
  other.hostname = alias
  return [origin, other.origin]
}

const LOOPBACK: Record<string, string> = { localhost: '127.0.0.1', '127.0.0.1': 'localhost' }
