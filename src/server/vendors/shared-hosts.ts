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
