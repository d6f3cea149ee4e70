/**
 * Hosts that serve more than one vendor, or anybody's files: naming one tells nobody, and permitting one opens the page to
 * all of them.
 */
export const SHARED_HOSTS: ReadonlySet<string> = new Set([
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
])
