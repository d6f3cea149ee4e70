/** Cookies that the vendors set on this site's own name: Meta, Analytics and the ads' click ids. */
const VENDOR_COOKIES = /^(_fb[pc]|_ga(_.+)?|_gid|_gat.*|_gcl_.+|_dc_gtm_.+|FPLC|FPID)$/

/** Vendors write on the widest domain they may, so every domain above this host is tried. */
export function deleteVendorCookies(): void {
  const labels = location.hostname.split('.')
  const domains = labels.map((_, index) => labels.slice(index).join('.'))
  for (const cookie of document.cookie.split('; ')) {
    const name = cookie.split('=', 1)[0] ?? ''
    if (!VENDOR_COOKIES.test(name)) continue
    for (const domain of ['', ...domains.map((each) => `; Domain=${each}`)]) {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet.
      document.cookie = `${name}=; Path=/; Max-Age=0${domain}`
    }
  }
}
