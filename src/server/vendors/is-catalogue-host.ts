import { isSharedHost } from './shared-hosts.ts'
import type { Vendor } from './vendor.ts'

/** True when the catalogue names this very host for the vendor, always or for one of its features, and nobody else's files are there. */
export function isCatalogueHost({ hosts, optionalHosts = [] }: Vendor, host: string): boolean {
  if (isSharedHost(host)) return false
  const named = [hosts, ...optionalHosts.map((option) => option.hosts)].flatMap((part) =>
    Object.values(part).flat(),
  )
  return named
    .map((name) => name.replace(/^wss:\/\//, ''))
    .some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : name === host))
}
