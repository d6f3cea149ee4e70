import type { ToolCookie } from '#contract/inventory.ts'
import { jarKey } from '#contract/isolated-frame.ts'
import type { PixelType } from '#contract/pixel.ts'
import { ANALYTICS_COOKIE, VISITOR_COOKIE, VISITOR_COOKIE_DAYS } from '#contract/visitor-cookies.ts'
import type { NameRule, Vendor } from '#server/vendors/vendor.ts'

/** What an isolated tag keeps: the page stores it for it, and nothing else of it is in the browser. */
export const JAR: ToolCookie = {
  name: jarKey('…'),
  duration: 'até ser apagado',
  purpose: 'O que a ferramenta, isolada em um quadro, pediu para guardar.',
  domain: null,
  kind: 'local_storage',
}

/** What the vendor's own script leaves in the browser, here and on its own domain. */
export function cookiesOfVendor(vendor: Vendor): ToolCookie[] {
  return [
    ...vendor.cookies.map(({ name, duration, purpose }) => ownCookie(nameOf(name), duration, purpose)),
    ...vendor.thirdPartyCookies.map(
      ({ name, domain, duration }): ToolCookie => ({
        name,
        duration,
        purpose: null,
        domain,
        kind: 'cookie',
      }),
    ),
    ...vendor.storage
      .filter(({ readOnly }) => readOnly !== true)
      .map(
        ({ area, key }): ToolCookie => ({
          name: nameOf(key),
          duration: area === 'local' ? 'até ser apagado' : 'sessão',
          purpose: null,
          domain: null,
          kind: area === 'local' ? 'local_storage' : 'session_storage',
        }),
      ),
  ]
}

/** What our server sets in order to tell a vendor, or a system of ours, of what was done. */
export function cookiesOfServer(type: PixelType, vendor: Vendor | null): ToolCookie[] {
  const duration = `${VISITOR_COOKIE_DAYS} dias`
  if (type === 'google_analytics')
    return [
      ownCookie(ANALYTICS_COOKIE, duration, 'Distingue visitas nas medições que o nosso servidor envia.'),
    ]
  // Meta's own names, which its script reads where it runs too.
  if (vendor !== null)
    return vendor.cookies.map((cookie) => ownCookie(nameOf(cookie.name), cookie.duration, cookie.purpose))
  return [
    ownCookie(VISITOR_COOKIE, duration, 'Distingue um navegador de outro no que o nosso servidor envia.'),
  ]
}

function ownCookie(name: string, duration: string, purpose: string): ToolCookie {
  return { name, duration, purpose, domain: null, kind: 'cookie' }
}

/** As a visitor would find it in the browser; what changes from one to another is an ellipsis, or an example. */
function nameOf(rule: NameRule): string {
  if ('exact' in rule) return rule.exact
  return 'prefix' in rule ? `${rule.prefix}…` : `ex.: ${rule.sample}`
}
