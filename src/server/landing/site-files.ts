import type { SiteInfo } from '#contract/site.ts'
import { COLORS } from '#design/colors.ts'
import type { Pictures } from './build-output.ts'

interface SiteFile {
  path: string
  type: string
  body: string
}

interface SiteFilesInput {
  site: SiteInfo
  pictures: Pictures
  llmsText: string
  /** Pages for search engines. */
  pagePaths: readonly string[]
}

/** Files that crawlers, phones and security researchers request. */
export function siteFiles(
  { site, pictures, llmsText, pagePaths }: SiteFilesInput,
  now = new Date(),
): SiteFile[] {
  const text = 'text/plain; charset=utf-8'
  return [
    { path: '/robots.txt', type: text, body: robots(site) },
    { path: '/sitemap.xml', type: 'application/xml; charset=utf-8', body: sitemap(site, pagePaths) },
    { path: '/llms.txt', type: text, body: llmsText },
    {
      path: '/site.webmanifest',
      type: 'application/manifest+json; charset=utf-8',
      body: manifest(site, pictures),
    },
    { path: '/.well-known/security.txt', type: text, body: securityText(site, now) },
  ]
}

function robots(site: SiteInfo): string {
  return `User-agent: *\nDisallow: /admin\nDisallow: /api/\n\nSitemap: ${site.siteUrl}/sitemap.xml\n`
}

function sitemap(site: SiteInfo, paths: readonly string[]): string {
  const urls = paths.map((path) => `<url><loc>${escapeXml(site.siteUrl + path)}</loc></url>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>\n`
}

function manifest(site: SiteInfo, pictures: Pictures): string {
  const icon = (src: string, size: number) => ({ src, sizes: `${size}x${size}`, type: 'image/png' })
  return JSON.stringify({
    name: site.brandName,
    short_name: site.brandName,
    lang: 'pt-BR',
    start_url: '/',
    display: 'browser',
    background_color: COLORS.ink,
    theme_color: COLORS.ink,
    icons: [icon(pictures.icon192, 192), icon(pictures.icon512, 512)],
  })
}

/** RFC 9116 requires an expiry: a year from the start, so that a forgotten server shows it. */
function securityText(site: SiteInfo, now: Date): string {
  const expires = new Date(now)
  expires.setUTCFullYear(expires.getUTCFullYear() + 1)
  return `Contact: mailto:${site.contactEmail}\nExpires: ${expires.toISOString()}\nPreferred-Languages: pt-BR, en\nCanonical: ${site.siteUrl}/.well-known/security.txt\n`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
