import type { ConsentCategory } from '#contract/consent.ts'
import { readConsentCookie } from '../shared/consent-cookie.ts'
import { cookieNames } from '../shared/cookies-before-tags.ts'
import { expire } from '../tags/delete-leftovers.ts'

/**
 * Cookies that appear from now on; call it to hear of the new ones. When the page goes they go as well, unless this
 * browser's own choice, made in an ordinary visit, allows them.
 */
export function watchCookies(category: ConsentCategory, onCookie: (name: string) => void): () => void {
  const before = new Set(cookieNames())
  const found = new Set<string>()
  addEventListener('pagehide', () => {
    if (readConsentCookie()?.granted.includes(category)) return
    for (const name of found) expire(name)
  })
  return () => {
    for (const name of cookieNames()) {
      if (before.has(name) || found.has(name) || name === '') continue
      found.add(name)
      onCookie(name)
    }
  }
}
