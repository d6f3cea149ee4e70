import { FRAMES_PATH } from '#contract/isolated-frame.ts'
import type { HostDirective } from '#contract/tag-status.ts'

/** Names of directives in the catalogue and in the API. */
export const DIRECTIVE_OF: Record<keyof TagSources, HostDirective> = {
  script: 'script',
  connect: 'connect',
  image: 'img',
  frame: 'frame',
  style: 'style',
  font: 'font',
  form: 'form',
  media: 'media',
}

export const SOURCE_KEYS = Object.keys(DIRECTIVE_OF) as (keyof TagSources)[]

const SOCKET = 'wss://'

/** A source without a scheme does not include sockets. */
export function isSocketSource(source: string): boolean {
  return source.startsWith(SOCKET)
}

export function toSocketSource(host: string): string {
  return SOCKET + host
}

/** CSP host matching: `*.vendor.com` matches every subdomain, but not `vendor.com` itself. */
export function matchesSource(host: string, source: string): boolean {
  const name = isSocketSource(source) ? source.slice(SOCKET.length) : source
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}

/** Directives of a Content-Security-Policy, in their order. */
export type Policy = Record<string, readonly string[]>

export function serializePolicy(policy: Policy): string {
  return Object.entries(policy)
    .map(([directive, sources]) => [directive, ...sources].join(' '))
    .join('; ')
}

function under(origins: readonly string[], ...paths: string[]): string[] {
  return origins.flatMap((origin) => paths.map((path) => origin + path))
}

const NONE = ["'none'"]

/** For everything that is not a page: as a document it may load and run nothing. */
export const SANDBOX_POLICY = serializePolicy({ sandbox: [], 'default-src': NONE, 'frame-ancestors': NONE })

interface PublicPolicyOptions {
  /** This site's origins. Paths are always named: `'self'` would open `/admin` and the services to tags. */
  origins: readonly string[]
  /** `'sha256-…'` of each inline style and script of the page. */
  styleHashes: readonly string[]
  scriptHashes: readonly string[]
}

export function publicPolicy({ origins, styleHashes, scriptHashes }: PublicPolicyOptions): Policy {
  return {
    'default-src': NONE,
    'script-src': [...under(origins, '/assets/', '/tags/'), ...scriptHashes],
    'style-src': styleHashes.length > 0 ? styleHashes : NONE,
    // Firefox requests this icon before the page could name another, and applies the policy to it.
    'img-src': [...under(origins, '/assets/', '/favicon.ico'), 'data:'],
    'font-src': under(origins, '/assets/'),
    'manifest-src': under(origins, '/site.webmanifest'),
    // Two public texts: without them here, tools that read them through the page are refused.
    'connect-src': under(origins, '/api/', '/robots.txt', '/llms.txt'),
    'form-action': under(origins, '/api/'),
    'frame-src': NONE,
    'worker-src': NONE,
    'object-src': NONE,
    'base-uri': NONE,
    'frame-ancestors': NONE,
  }
}

/** Host names, with or without `*.` or `wss://`, that active tags add, by use. */
export interface TagSources {
  readonly script: readonly string[]
  readonly connect: readonly string[]
  readonly image: readonly string[]
  readonly frame: readonly string[]
  readonly form: readonly string[]
  readonly style: readonly string[]
  readonly font: readonly string[]
  readonly media: readonly string[]
}

interface TagPolicy {
  sources: TagSources
  /**
   * While a container is active, scripts created by the page's own loader are trusted, and so is what they create.
   * Browsers that support `'strict-dynamic'` ignore the hosts beside it; others use them.
   */
  trustsContainer: boolean
  /** Path for violation reports. */
  reportPath: string
  /** True if the page is served by https: a host without a scheme then means https and saves eight bytes. */
  https: boolean
  /** This site's origins if a tag runs isolated; no other path of ours may be framed. */
  frameOrigins?: readonly string[]
}

/** The policy of the page that runs tags: only https, only listed hosts, never this site itself. */
export function withTags(
  policy: Policy,
  { sources, trustsContainer, reportPath, https, frameOrigins = [] }: TagPolicy,
): Policy {
  const extend = (directive: string, hosts: readonly string[]) => [
    ...(policy[directive] ?? []).filter((source) => source !== "'none'" || hosts.length === 0),
    ...hosts.map((host) => toHttps(host, https)),
  ]
  const { media } = sources
  return {
    ...policy,
    'script-src': [...(trustsContainer ? ["'strict-dynamic'"] : []), ...extend('script-src', sources.script)],
    'img-src': extend('img-src', sources.image),
    'style-src': extend('style-src', sources.style),
    'font-src': extend('font-src', sources.font),
    ...(media.length === 0 ? {} : { 'media-src': extend('media-src', media) }),
    'connect-src': extend('connect-src', sources.connect),
    'form-action': extend('form-action', sources.form),
    'frame-src': extend('frame-src', [...under(frameOrigins, FRAMES_PATH), ...sources.frame]),
    'report-uri': [reportPath],
  }
}

interface FramePolicy {
  sources: TagSources
  /** Origins whose pages may frame it. */
  origins: readonly string[]
}

/**
 * The document of one isolated tag: an opaque origin that may run scripts and reach the tag's own hosts. It may not
 * navigate, submit, open windows or request permissions, and cannot reach us. Inline scripts are allowed, because
 * nothing inside needs protection from them. `'self'` does not appear: WebKit takes it for the opaque origin, and a
 * host without a scheme would match nothing.
 */
export function framePolicy({ sources, origins }: FramePolicy): Policy {
  const named = (hosts: readonly string[]) => hosts.map((host) => toHttps(host, false))
  const allow = (hosts: readonly string[]) => (hosts.length === 0 ? NONE : named(hosts))
  return {
    sandbox: ['allow-scripts'],
    'default-src': NONE,
    'script-src': ["'unsafe-inline'", ...named(sources.script)],
    // A conversion may be sent with `fetch`, which outlives the page, to any host that images may come from.
    'connect-src': allow([...new Set([...sources.connect, ...sources.image])]),
    'img-src': [...named(sources.image), 'data:'],
    'frame-src': allow(sources.frame),
    'form-action': NONE,
    'base-uri': NONE,
    'frame-ancestors': origins,
  }
}

function toHttps(host: string, https: boolean): string {
  return https || host.includes('://') ? host : `https://${host}`
}

/** Never `'self'` for scripts, which would allow `/tags/*.js`. Never a foreign host. */
export function adminPolicy(origins: readonly string[]): Policy {
  return {
    'default-src': NONE,
    'script-src': under(origins, '/assets/'),
    'style-src': [...under(origins, '/assets/'), "'unsafe-inline'"],
    'img-src': [...under(origins, '/assets/'), 'data:'],
    'font-src': under(origins, '/assets/'),
    'connect-src': under(origins, '/auth/v1/', '/rest/v1/', '/admin/api/'),
    'form-action': NONE,
    'frame-src': NONE,
    'worker-src': NONE,
    'object-src': NONE,
    'base-uri': NONE,
    'frame-ancestors': NONE,
    'require-trusted-types-for': ["'script'"],
    'trusted-types': NONE,
  }
}
