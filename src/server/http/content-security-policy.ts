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

/** No document of ours is a springboard: this goes on everything that is not a page. */
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
    'img-src': [...under(origins, '/assets/'), 'data:'],
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
