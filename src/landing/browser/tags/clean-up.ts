import { CONSENT_COOKIE } from '#contract/consent-choice.ts'
import { KEPT_COOKIES } from '#contract/kept-cookies.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import { BEFORE_TAGS, cookieNames, readConsentCookie } from '../shared/consent-cookie.ts'

/** Tags of this page that have started, told by whoever starts them. */
let listRan: () => readonly ManifestTag[] = () => []

/** What runs now may write once more while the page goes, and a choice may have been taken back in another window. */
export function cleanUpAfter(ran: typeof listRan): void {
  listRan = ran
  addEventListener('pagehide', () => {
    const granted = readConsentCookie()?.granted
    if (granted && !ran().every(({ category }) => granted.includes(category))) deleteLeftovers(true)
  })
}

/**
 * After a withdrawal, as far as a script can: what the catalogue names for the tags that ran and may no longer, and every
 * cookie that appeared after the agreement. What was there before stays, as do marks of a refusal and what belongs to
 * tags that may go on. Where nobody noted what was there before, only what is known by name goes.
 */
export function deleteLeftovers(isLast = listRan().length === 0): void {
  const granted = readConsentCookie()?.granted ?? []
  const before = inStorage(() => localStorage[BEFORE_TAGS]?.split(';')) as string[] | undefined
  const named = (what: 'cookies' | 'local' | 'session', mayStay: boolean) =>
    listRan().flatMap(({ category, leaves }) =>
      granted.includes(category) === mayStay ? (leaves?.[what] ?? []) : [],
    )
  for (const name of cookieNames()) {
    const isLeft =
      isNamed(name, named('cookies', false)) || (before && !isNamed(name, named('cookies', true)))
    if (isLeft && !isNamed(name, [CONSENT_COOKIE, ...KEPT_COOKIES, ...(before ?? [])])) expire(name)
  }
  for (const what of ['local', 'session'] as const) {
    inStorage(() => {
      const area = window[`${what}Storage`]
      for (const key of Object.keys(area)) if (isNamed(key, named(what, false))) area.removeItem(key)
    })
  }
  // What appears from then on is of nobody whom we run.
  if (isLast && granted.length === 0) inStorage(() => localStorage.removeItem(BEFORE_TAGS))
}

/** `name`, `prefix*` or `/pattern/`. */
function isNamed(name: string, rules: readonly string[]): boolean {
  return rules.some((rule) => {
    if (rule.startsWith('/')) return new RegExp(rule.slice(1, -1)).test(name)
    return rule.endsWith('*') ? name.startsWith(rule.slice(0, -1)) : name === rule
  })
}

/** Vendors write on the widest domain they may, so every domain above this host is tried; a cookie that was set as partitioned is only found as such. */
export function expire(name: string): void {
  const labels = location.hostname.split('.')
  for (const domain of ['', ...labels.map((_, index) => `; Domain=${labels.slice(index).join('.')}`)]) {
    for (const kind of ['', '; Secure', '; Secure; Partitioned']) {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet, and waits.
      document.cookie = `${name}=; Path=/; Max-Age=0${domain}${kind}`
    }
  }
}

/** It may be forbidden in the browser, which asking for it tells. */
function inStorage<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
