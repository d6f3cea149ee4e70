import { FRAMES_PATH } from '#contract/isolated-frame.ts'
import type { HostDirective } from '#contract/tag-status.ts'

/** What a part of the policy is called in the catalogue and on the wire. */
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

/** A source without a scheme does not mean sockets. */
export function isSocketSource(source: string): boolean {
  return source.startsWith(SOCKET)
}

export function toSocketSource(host: string): string {
  return SOCKET + host
}

/** CSP host matching: `*.vendor.com` means every name below, and not `vendor.com` itself. */
export function matchesSource(host: string, source: string): boolean {
  const name = isSocketSource(source) ? source.slice(SOCKET.length) : source
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}

/** Directives of a Content-Security-Policy, in the order in which they are written. */
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

/** Goes on everything that is not a page: as a document it may load and run nothing. */
export const SANDBOX_POLICY = serializePolicy({ sandbox: [], 'default-src': NONE, 'frame-ancestors': NONE })

interface PublicPolicyOptions {
  /** Where this site answers. Paths are always named: `'self'` would open `/admin` and the services to a tag. */
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
    // Firefox asks for the icon by itself before the page could name another, and holds that to the policy.
    'img-src': [...under(origins, '/assets/', '/favicon.ico'), 'data:'],
    'font-src': under(origins, '/assets/'),
    'manifest-src': under(origins, '/site.webmanifest'),
    // The two texts are public; without their names here, tools that read them through the page are refused.
    'connect-src': under(origins, '/api/', '/robots.txt', '/llms.txt'),
    'form-action': under(origins, '/api/'),
    'frame-src': NONE,
    'worker-src': NONE,
    'object-src': NONE,
    'base-uri': NONE,
    'frame-ancestors': NONE,
  }
}

/** Host names, with or without a leading `*.` or `wss://`, that active tags add, by what they may do there. */
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
   * While a container is active, what the page's own loader creates is trusted, and so is what that creates. Browsers
   * that know `'strict-dynamic'` ignore the addresses beside it; the others still have them.
   */
  trustsContainer: boolean
  /** Where violations are told. */
  reportPath: string
  /** True when the page itself is served by https: a host without a scheme then means https, and is eight bytes shorter. */
  https: boolean
  /** Where this site answers, when a tag runs in a frame of its own; no other path of ours may be framed. */
  roomOrigins?: readonly string[]
}

/** The policy of the one page that runs tags. Only https, only named hosts, never this site itself. */
export function withTags(
  policy: Policy,
  { sources, trustsContainer, reportPath, https, roomOrigins = [] }: TagPolicy,
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
    'frame-src': extend('frame-src', [...under(roomOrigins, FRAMES_PATH), ...sources.frame]),
    'report-uri': [reportPath],
  }
}

interface FramePolicy {
  sources: TagSources
  /** Whose pages may frame it. */
  origins: readonly string[]
}

/**
 * The document of one isolated tag: an opaque origin that may run scripts and reach the tag's own hosts. It may not
 * navigate, submit, open or ask for anything, and nothing of ours is within its reach. Inside there is nobody to protect
 * from the tag's own inline scripts. `'self'` is in none of it: WebKit takes it for the opaque origin, and a host without a
 * scheme for one of that origin's scheme, which is none, so that it would match nothing.
 */
export function framePolicy({ sources, origins }: FramePolicy): Policy {
  const named = (hosts: readonly string[]) => hosts.map((host) => toHttps(host, false))
  const allow = (hosts: readonly string[]) => (hosts.length === 0 ? NONE : named(hosts))
  return {
    sandbox: ['allow-scripts'],
    'default-src': NONE,
    'script-src': ["'unsafe-inline'", ...named(sources.script)],
    // What a picture would be fetched from, a conversion may be sent to by `fetch`, which outlives the page.
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

/** Never `'self'` for scripts: that would admit `/tags/*.js`. Never a foreign host. */
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
