import { CONSENT_COOKIE } from '#contract/consent-choice.ts'

/** Cookies that the vendors set on this site's own name: Meta, Analytics and the ads' click ids. */
const VENDOR_COOKIES = /^(_fb[pc]|_ga(_.+)?|_gid|_gat.*|_gcl_.+|_dc_gtm_.+|FPLC|FPID)$/
/** In the browser's storage: names of the cookies that were there before any tag ran. */
const BEFORE_TAGS = 'portico_before_tags'

/** With the first agreement: other sites of a parent domain have cookies here too, and they are not the tags'. */
export function noteCookiesBeforeTags(): void {
  try {
    localStorage[BEFORE_TAGS] ??= cookieNames().join(';')
  } catch {
    // A browser without storage, or with a full one: then only what is known by name will be deleted.
  }
}

/** With the last revocation: what appears from now on is of nobody whom we run. */
export function forgetCookiesBeforeTags(): void {
  storage()?.removeItem(BEFORE_TAGS)
}

/**
 * Deletes what tags left, as far as a script can see it: all that appeared after the agreement. Where nobody noted what
 * was there before, what is known to be a vendor's. Vendors write on the widest domain they may, so every domain above
 * this host is tried; a cookie that was set as partitioned is only found as such.
 */
export function deleteTagCookies(): void {
  const before = storage()?.getItem(BEFORE_TAGS)?.split(';')
  const labels = location.hostname.split('.')
  const domains = ['', ...labels.map((_, index) => `; Domain=${labels.slice(index).join('.')}`)]
  for (const name of cookieNames()) {
    const isTags = before ? !before.includes(name) && name !== CONSENT_COOKIE : VENDOR_COOKIES.test(name)
    if (!isTags) continue
    for (const domain of domains) {
      for (const kind of ['', '; Secure', '; Secure; Partitioned']) {
        // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet.
        document.cookie = `${name}=; Path=/; Max-Age=0${domain}${kind}`
      }
    }
  }
}

function cookieNames(): string[] {
  return document.cookie.split('; ').map((cookie) => cookie.split('=', 1)[0] ?? '')
}

function storage(): Storage | null {
  try {
    return localStorage
  } catch {
    return null
  }
}
