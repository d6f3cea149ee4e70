import type { AuthContext } from '../auth-context.ts'

export interface RelyingParty {
  /** The host to which browsers tie a key: the dashboard's. */
  id: string
  name: string
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Browsers tie no key to an IP address: on this machine the host is `localhost`, by whatever name it was configured. */
export function relyingParty({ config }: AuthContext): RelyingParty {
  const { hostname } = new URL(config.adminUrl ?? config.siteUrl)
  return { id: LOOPBACK.includes(hostname) ? 'localhost' : hostname, name: config.site.brandName }
}

/**
 * Where a key may have been shown: on the dashboard's own origins. A site that is tried out on one's own machine takes any
 * port of it, because the page that signs in is then often served by another program.
 */
export function allowedOrigins(context: AuthContext, origin: string): string[] {
  const isLocal = relyingParty(context).id === 'localhost' && /^https?:\/\/localhost(:\d{1,5})?$/.test(origin)
  return isLocal ? [...context.origins, origin] : [...context.origins]
}
