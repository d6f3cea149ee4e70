import { CONSENT_COOKIE } from '#contract/consent-choice.ts'
import { KEPT_COOKIES } from '#contract/kept-cookies.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import { readConsentCookie } from './consent-cookie.ts'
import { BEFORE_TAGS, cookieNames } from './cookies-before-tags.ts'

/** Tags of this page that have started, told by whoever starts them. */
let listRan: () => readonly ManifestTag[] = () => []

/** What runs now may write once more while the page goes, and a choice may have been taken back in another window. */
export function cleanUpAfter(ran: typeof listRan): void {
  listRan = ran
  addEventListener('pagehide', () => {
    const granted = readConsentCookie()?.granted
    if (granted === undefined || ran().every(({ category }) => granted.includes(category))) return
    deleteLeftovers()
    if (granted.length === 0) forget()
  })
}

/**
 * After a withdrawal, as far as a script can: what the catalogue names for the tags that ran and may no longer, and every
 * cookie that appeared after the agreement. What was there before stays, as do marks of a refusal and what belongs to
 * tags that may go on. Where nobody noted what was there before, only what is known by name goes.
 */
export function deleteLeftovers(): void {
  const granted = readConsentCookie()?.granted ?? []
  const ran = listRan()
  const before = storage(() => localStorage)?.[BEFORE_TAGS]?.split(';')
  const mayStay = ({ category }: ManifestTag) => granted.includes(category)
  const named = (what: 'cookies' | 'local' | 'session', isOf: (tag: ManifestTag) => boolean) =>
    ran.filter(isOf).flatMap(({ leaves }) => leaves?.[what] ?? [])
  const gone = (tag: ManifestTag) => !mayStay(tag)
  const kept = [CONSENT_COOKIE, ...KEPT_COOKIES, ...(before ?? [])]
  const [theirs, stays] = [named('cookies', gone), named('cookies', mayStay)]
  for (const name of cookieNames()) {
    const isLeft = isNamed(name, theirs) || (before !== undefined && !isNamed(name, stays))
    if (isLeft && !isNamed(name, kept)) expire(name)
  }
  deleteKeys(
    storage(() => localStorage),
    named('local', gone),
  )
  deleteKeys(
    storage(() => sessionStorage),
    named('session', gone),
  )
  if (ran.length === 0 && granted.length === 0) forget()
}

/** What appears from now on is of nobody whom we run. */
function forget(): void {
  storage(() => localStorage)?.removeItem(BEFORE_TAGS)
}

/** `name`, `prefix*` or `/pattern/`. */
function isNamed(name: string, rules: readonly string[]): boolean {
  return rules.some((rule) => {
    if (rule.startsWith('/')) return new RegExp(rule.slice(1, -1)).test(name)
    return rule.endsWith('*') ? name.startsWith(rule.slice(0, -1)) : name === rule
  })
}

/** Vendors write on the widest domain they may, so every domain above this host is tried; a cookie that was set as partitioned is only found as such. */
function expire(name: string): void {
  const labels = location.hostname.split('.')
  for (const domain of ['', ...labels.map((_, index) => `; Domain=${labels.slice(index).join('.')}`)]) {
    for (const kind of ['', '; Secure', '; Secure; Partitioned']) {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet, and waits.
      document.cookie = `${name}=; Path=/; Max-Age=0${domain}${kind}`
    }
  }
}

function deleteKeys(area: Storage | null, rules: readonly string[]): void {
  for (const key of Object.keys(area ?? {})) if (isNamed(key, rules)) area?.removeItem(key)
}

/** It may be forbidden in the browser, which asking for it tells. */
function storage(area: () => Storage): Storage | null {
  try {
    return area()
  } catch {
    return null
  }
}
