import { CONSENT_COOKIE, parseConsent } from '#contract/consent-choice.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'

/** Called as the page goes: what the catalogue names for the tags that ran, as far as their category was taken back. */
export function deleteLeftovers(ran: readonly ManifestTag[]): void {
  const cookie = document.cookie.split('; ').find((each) => each.startsWith(`${CONSENT_COOKIE}=`))
  const choice = parseConsent(cookie?.slice(CONSENT_COOKIE.length + 1) ?? '')
  if (choice === null) return
  for (const { category, leaves } of ran) {
    if (leaves === undefined || choice.granted.includes(category)) continue
    for (const each of document.cookie.split('; ')) {
      const name = each.split('=', 1)[0] ?? ''
      if (isNamed(name, leaves.cookies)) expire(name)
    }
    deleteKeys(() => localStorage, leaves.local)
    deleteKeys(() => sessionStorage, leaves.session)
  }
}

/** `name`, `prefix*` or `/pattern/`. */
function isNamed(name: string, rules: readonly string[] = []): boolean {
  return rules.some((rule) => {
    if (rule.startsWith('/')) return new RegExp(rule.slice(1, -1)).test(name)
    return rule.endsWith('*') ? name.startsWith(rule.slice(0, -1)) : name === rule
  })
}

/** Vendors write on the widest domain they may, so every domain above this host is tried. */
function expire(name: string): void {
  const labels = location.hostname.split('.')
  for (const domain of ['', ...labels.map((_, index) => `; Domain=${labels.slice(index).join('.')}`)]) {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet, and waits.
    document.cookie = `${name}=; Path=/; Max-Age=0${domain}`
  }
}

/** Storage may be forbidden in the browser, which asking for it tells. */
function deleteKeys(storage: () => Storage, rules?: readonly string[]): void {
  try {
    for (const key of Object.keys(storage())) if (isNamed(key, rules)) storage().removeItem(key)
  } catch {}
}
