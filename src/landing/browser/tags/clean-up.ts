import { BEFORE_TAGS, CONSENT_COOKIE } from '#contract/consent-choice.ts'
import { KEPT_COOKIES, KEPT_KEYS } from '#contract/kept-cookies.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import { OBJECTION_COOKIE } from '#contract/visit-paths.ts'
import { readConsentCookie } from '../shared/consent-cookie.ts'

/** Tags of this page that have started. */
let listRan: () => readonly ManifestTag[] = () => []

/**
 * Before the first tag starts. Notes what is stored already, which is not the tags': other sites of a parent domain may
 * have cookies here. Running tags may write once more while the page is left, and consent may have been withdrawn in
 * another window.
 */
export function cleanUpAfter(ran: typeof listRan): void {
  listRan = ran
  // Without storage, or with a full one, only what is known by name is deleted.
  for (const area of AREAS)
    inStorage(area, (storage) => {
      storage[BEFORE_TAGS] ??= JSON.stringify([cookieNames(), Object.keys(storage)])
    })
  addEventListener('pagehide', () => {
    const granted = readConsentCookie()?.granted
    if (granted && !ran().every(({ category }) => granted.includes(category))) deleteLeftovers(true)
  })
}

const AREAS = ['local', 'session'] as const

type Area = (typeof AREAS)[number]

/** The choice, records of it that are not sent yet, our note, and marks of a refusal. */
const OURS = [OBJECTION_COOKIE, `${CONSENT_COOKIE}*`, BEFORE_TAGS, ...KEPT_COOKIES, ...KEPT_KEYS]

/**
 * After a withdrawal, as far as a script can: deletes what the catalogue lists for tags that ran and are no longer
 * allowed, and every cookie and key that appeared after the first tag started. What was there earlier, marks of a
 * refusal and what allowed tags are known to store stay. Without a note, only known names are deleted.
 */
export function deleteLeftovers(isLast = listRan().length === 0): void {
  const granted = readConsentCookie()?.granted ?? []
  const named = (what: 'cookies' | Area, mayStay: boolean) =>
    listRan().flatMap(({ category, leaves }) =>
      granted.includes(category) === mayStay ? (leaves?.[what] ?? []) : [],
    )
  const findLeft = (what: 'cookies' | Area, names: string[], before: string[] | undefined) =>
    names.filter(
      (name) =>
        (isNamed(name, named(what, false)) || (before && !isNamed(name, named(what, true)))) &&
        !before?.includes(name) &&
        !isNamed(name, OURS),
    )
  for (const area of AREAS) {
    const [cookies, keys] = inStorage(area, (storage) => JSON.parse(storage[BEFORE_TAGS])) ?? []
    if (area === 'local') findLeft('cookies', cookieNames(), cookies).forEach(expire)
    inStorage(area, (storage) => {
      for (const key of findLeft(area, Object.keys(storage), keys)) storage.removeItem(key)
      // What appears later does not come from our tags.
      if (isLast && granted.length === 0) storage.removeItem(BEFORE_TAGS)
    })
  }
}

export function cookieNames(): string[] {
  return document.cookie.split('; ').map((cookie) => cookie.split('=', 1)[0] ?? '')
}

/** `name`, `prefix*` or `/pattern/`. */
function isNamed(name: string, rules: readonly string[]): boolean {
  return rules.some((rule) => {
    if (rule.startsWith('/')) return new RegExp(rule.slice(1, -1)).test(name)
    return rule.endsWith('*') ? name.startsWith(rule.slice(0, -1)) : name === rule
  })
}

/**
 * Vendors write to the widest possible domain, so every parent domain is tried; a partitioned cookie is only found as
 * such.
 */
export function expire(name: string): void {
  const labels = location.hostname.split('.')
  for (const domain of ['', ...labels.map((_, index) => `; Domain=${labels.slice(index).join('.')}`)]) {
    for (const kind of ['', '; Secure', '; Secure; Partitioned']) {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet, and waits.
      document.cookie = `${name}=; Path=/; Max-Age=0${domain}${kind}`
    }
  }
}

/** Storage may be forbidden, which throws. */
function inStorage<Result>(area: Area, work: (storage: Storage) => Result): Result | undefined {
  try {
    return work(window[`${area}Storage`])
  } catch {
    return undefined
  }
}
