import type { Config } from '../config.ts'

/** Names of this installation. A policy that allowed one would open the dashboard to every tag. */
export function ownHosts(config: Config): ReadonlySet<string> {
  const urls = [config.siteUrl, ...(config.adminUrl === null ? [] : [config.adminUrl])]
  return new Set(urls.map((url) => new URL(url).hostname))
}
