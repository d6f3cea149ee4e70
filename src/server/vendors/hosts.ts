import type { HostVendor } from '#contract/tag-status.ts'
import { matchesSource } from '../http/security/content-security-policy.ts'
import type { Vendor } from './vendor.ts'
import { VENDORS } from './vendors.ts'

/** True if the catalogue lists this exact host for the vendor, always or for a feature, and it is not shared. */
export function isCatalogueHost({ hosts, optionalHosts = [] }: Vendor, host: string): boolean {
  if (isSharedHost(host)) return false
  const named = [hosts, ...optionalHosts.map((option) => option.hosts)].flatMap((part) =>
    Object.values(part).flat(),
  )
  return named.some((name) => matchesSource(host, name))
}

/** The catalogue first. The wider list names hosts but never permits them; its 200 KB are loaded on demand. */
export async function nameHost(host: string): Promise<HostVendor | null> {
  const vendor = vendorOfHost(host)
  if (vendor !== null) return { id: vendor.id, name: vendor.name }
  const { default: wider } = await import('third-party-web/nostats-subset.js')
  const entity = wider.getEntity(host)
  return entity === undefined || entity === null ? null : { id: null, name: entity.name }
}

/** Hosts of several vendors, or of anybody's files: permitting one opens the page to all of them. */
const SHARED_HOSTS: ReadonlySet<string> = new Set([
  'www.google.com',
  'www.google.com.br',
  'td.doubleclick.net',
  'pagead2.googlesyndication.com',
  'www.googletagmanager.com',
  'c.bing.com',
  'fonts.googleapis.com',
  'fonts.gstatic.com',
  'unpkg.com',
  'cdn.jsdelivr.net',
  's3.amazonaws.com',
  't.co',
  'google.com',
  'www.youtube.com',
  'player.vimeo.com',
  'fast.wistia.net',
  'zendesk-eu.my.sentry.io',
  'www.linkedin.com',
  'www.facebook.com',
  'cdnjs.cloudflare.com',
  'ajax.googleapis.com',
  'storage.googleapis.com',
  'raw.githubusercontent.com',
  'esm.sh',
  'cdn.skypack.dev',
])

/** Anybody can have a name below these. */
const SHARED_ENDINGS = [
  '.cloudfront.net',
  '.amazonaws.com',
  '.azureedge.net',
  '.core.windows.net',
  '.herokuapp.com',
  '.vercel.app',
  '.netlify.app',
  '.pages.dev',
  '.workers.dev',
  '.github.io',
  '.web.app',
  '.firebaseapp.com',
]

export function isSharedHost(host: string): boolean {
  return SHARED_HOSTS.has(host) || SHARED_ENDINGS.some((ending) => host.endsWith(ending))
}

/** The vendor with the longest suffix of a host. */
export function vendorOfHost(host: string): Vendor | null {
  for (let name = host; ; name = name.slice(name.indexOf('.') + 1)) {
    const vendor = VENDORS.find(({ suffixes }) => suffixes.includes(name))
    if (vendor !== undefined) return vendor
    if (!name.includes('.')) return null
  }
}
