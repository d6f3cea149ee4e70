import type { ReactNode } from 'react'
import { DEFAULT_BRAND_NAME, type SiteInfo } from '#contract/site.ts'
import { UNCOUNTED_ATTRIBUTE } from '#contract/visit-paths.ts'
import { COLORS } from '#design/colors.ts'
import { SHARING } from '../content/page.ts'
import { bootLoader } from './boot-loader.ts'

export interface DocumentAssets {
  /** The whole style sheet, inlined so that nothing blocks the first paint. */
  css: string
  /** The same for legal texts and errors. */
  plainCss: string
  /** For what the site's content file adds, after `laterCss`. */
  contentCss: string
  bootScript: string | null
  /** At the end of the page: what the first frame does not need. It has no "<" and no "&". */
  laterCss: string
  /** Scripts of the islands, fetched when the browser is idle. */
  prefetch: readonly string[]
  /**
   * Requested after the first frame; a page without scripts requests it at once, because a late font is not shown on
   * this visit.
   */
  font: string
  pictures: { icon: string; touchIcon: string; share: string; shareUnnamed: string }
}

interface DocumentProps {
  site: SiteInfo
  assets: DocumentAssets
  title: string
  description: string
  /** Canonical path for search engines; null excludes the page. */
  path: string | null
  children: ReactNode
}

export function Document({ site, assets, title, description, path, children }: DocumentProps) {
  const { pictures } = assets
  const laterCss = assets.laterCss + (site.content ? assets.contentCss : '')
  return (
    <html lang="pt-BR" {...(site.countsVisits ? {} : { [UNCOUNTED_ATTRIBUTE]: '' })}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <title>{title}</title>
        {assets.bootScript === null && (
          <>
            <link rel="preload" as="font" type="font/woff2" href={assets.font} crossOrigin="" />
            <link rel="icon" href={pictures.icon} />
          </>
        )}
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own built style sheet, named by its hash in the policy. */}
        <style dangerouslySetInnerHTML={{ __html: assets.css }} />
        {assets.bootScript !== null && (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: our own loader, named by its hash in the policy.
          <script dangerouslySetInnerHTML={{ __html: bootLoader(assets.bootScript) }} />
        )}
        <meta name="description" content={description} />
        <meta name="theme-color" content={COLORS.ink} />
        {path === null ? (
          <meta name="robots" content="noindex" />
        ) : (
          <Sharing
            site={site}
            title={title}
            description={description}
            path={path}
            image={site.brandName === DEFAULT_BRAND_NAME ? pictures.share : pictures.shareUnnamed}
          />
        )}
      </head>
      <body>
        {children}
        {assets.bootScript !== null && (
          // A style element may only stand here inside a drawing.
          <svg
            height="0"
            aria-hidden="true"
            data-prefetch={assets.prefetch.join(' ')}
            data-icon={pictures.icon}
          >
            {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own built style sheet, named by its hash in the policy. */}
            <style dangerouslySetInnerHTML={{ __html: laterCss }} />
          </svg>
        )}
      </body>
    </html>
  )
}

interface SharingProps {
  site: SiteInfo
  title: string
  description: string
  path: string
  image: string
}

function Sharing({ site, title, description, path, image }: SharingProps) {
  const url = site.siteUrl + path
  return (
    <>
      <link rel="canonical" href={url} />
      <meta property="og:locale" content="pt_BR" />
      <meta property="og:site_name" content={site.brandName} />
      <meta property="og:type" content="website" />
      <meta property="og:url" content={url} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:image" content={site.siteUrl + image} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content={SHARING.imageAlt} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  )
}
