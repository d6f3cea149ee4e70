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

export interface PublicPolicyOptions {
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

/** Host names, with or without a leading `*.`, that active tags add, by what they may do there. */
export interface TagSources {
  readonly script: readonly string[]
  readonly connect: readonly string[]
  readonly image: readonly string[]
  readonly frame: readonly string[]
  readonly form: readonly string[]
}

export interface TagPolicy {
  sources: TagSources
  /**
   * While a container is active, what the page's own loader creates is trusted, and so is what that creates. Browsers
   * that know `'strict-dynamic'` ignore the addresses beside it; the others still have them.
   */
  trustsContainer: boolean
  /** Where violations are told. */
  reportPath: string
}

/** The policy of the one page that runs tags. Only https, only named hosts, never this site itself. */
export function withTags(policy: Policy, { sources, trustsContainer, reportPath }: TagPolicy): Policy {
  const extend = (directive: string, hosts: readonly string[]) => [
    ...(policy[directive] ?? []).filter((source) => source !== "'none'" || hosts.length === 0),
    ...hosts.map((host) => `https://${host}`),
  ]
  return {
    ...policy,
    'script-src': [...(trustsContainer ? ["'strict-dynamic'"] : []), ...extend('script-src', sources.script)],
    'img-src': extend('img-src', sources.image),
    'connect-src': extend('connect-src', sources.connect),
    'form-action': extend('form-action', sources.form),
    'frame-src': extend('frame-src', sources.frame),
    'report-uri': [reportPath],
  }
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
