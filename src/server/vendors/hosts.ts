import type { HostVendor } from '#contract/tag-status.ts'
import type { Vendor } from './vendor.ts'
import { VENDORS } from './vendors.ts'

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

/** The catalogue first. The wider list names and never permits; its 200 KB are loaded when a host needs them. */
export async function nameHost(host: string): Promise<HostVendor | null> {
  const vendor = vendorOfHost(host)
  if (vendor !== null) return { id: vendor.id, name: vendor.name }
  const { default: wider } = await import('third-party-web/nostats-subset.js')
  const entity = wider.getEntity(host)
  return entity === undefined || entity === null ? null : { id: null, name: entity.name }
}

/**
 * Hosts that serve more than one vendor, or anybody's files: naming one tells nobody, and permitting one opens the page to
 * all of them.
 */
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

/** Below these, anybody can have a name of their own. */
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

const BY_SUFFIX = new Map(
  VENDORS.flatMap((vendor) => vendor.suffixes.map((suffix) => [suffix, vendor] as const)),
)

/** Whose a host is: the vendor with the longest suffix that the name is or ends with. */
export function vendorOfHost(host: string): Vendor | null {
  for (let name = host; ; name = name.slice(name.indexOf('.') + 1)) {
    const vendor = BY_SUFFIX.get(name)
    if (vendor !== undefined) return vendor
    if (!name.includes('.')) return null
  }
}
