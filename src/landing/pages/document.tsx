import type { ReactNode } from 'react'
import { CONSENT_COOKIE } from '#contract/consent-choice.ts'
import { DEFAULT_BRAND_NAME, KEPT_TIMING, type SiteInfo } from '#contract/site.ts'
import { COLORS } from '#design/colors.ts'
import { SHARING } from '../content/page.ts'

export interface DocumentAssets {
  /** The whole style sheet, inlined so that nothing blocks the first paint. */
  css: string
  /** The same for legal texts and errors. */
  plainCss: string
  bootScript: string | null
  /** What the boot script adopts once the first frame is drawn. */
  bootCss: string
  /** Scripts of the islands, fetched when the browser has nothing else to do. */
  prefetch: readonly string[]
  /** Asked for after the first frame; a page without scripts asks at once, for a late font is not shown on this visit. */
  font: string
  pictures: { icon: string; touchIcon: string; share: string; shareUnnamed: string }
}

interface DocumentProps {
  site: SiteInfo
  assets: DocumentAssets
  title: string
  description: string
  /** Path that search engines should know; null keeps the page out of them. */
  path: string | null
  children: ReactNode
}

export function Document({ site, assets, title, description, path, children }: DocumentProps) {
  const { pictures } = assets
  return (
    <html lang="pt-BR">
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
        {assets.bootScript !== null && assets.prefetch.length > 0 && (
          <template
            data-prefetch={assets.prefetch.join(' ')}
            data-icon={pictures.icon}
            // biome-ignore lint/security/noDangerouslySetInnerHtml: our own built style sheet, which has no "<".
            dangerouslySetInnerHTML={{ __html: assets.bootCss }}
          />
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

/**
 * Not every browser reports a first paint: Firefox does not when the page is painted scrolled, nor when it resists
 * fingerprinting.
 */
const FRAMES = 9

/** A page in the background gets no frames. */
const GIVE_UP_MS = 3_000

/**
 * The one script inside the page. It asks for the boot script and the typeface once the whole page has been drawn for
 * the first time: nothing that the visitor sees waits for them, and they take nothing from what draws the page. The
 * typeface then waits in the browser's cache for the next visit, which wears it from the first frame on (class `typeset`,
 * styles/after-first-frame.css). Two signs tell of an earlier visit: the page itself came out of the cache
 * (`KEPT_TIMING`), or the visitor has answered the cookie banner. The second one also holds after the page has
 * changed, and in a browser that does not cache the page.
 *
 * Inline, so that the policy can name the script by its hash: under `'strict-dynamic'` trust starts from that hash and is
 * passed on.
 */
export function bootLoader(bootScript: string): string {
  // One file holds every weight. Without it the page stays in the device's font.
  const font = `d.fonts.load("1em Instrument Sans").catch(()=>0)`
  // An element, not `import()`: that would count as written into the page, which `'strict-dynamic'` refuses.
  const script = `Object.assign(d.createElement("script"),{type:"module",src:${JSON.stringify(bootScript)}})`
  const kept = `performance.getEntriesByType("navigation")[0]?.serverTiming?.[0]?.name==${JSON.stringify(KEPT_TIMING)}`
  const answered = `d.cookie.match(${JSON.stringify(CONSENT_COOKIE)})`
  const drawn = `performance.getEntriesByName("first-contentful-paint")[0]`
  const go = `go=()=>{go=()=>0;d.head.append(${script});${font}}`
  // What was drawn before the page had come to its end may be a part of it: hence two frames more.
  const wait = `w=()=>${drawn}||!n--?go():f(w)`
  // Not `load`, which waits for a typeface that was asked for before the first frame.
  const start = `d.addEventListener("DOMContentLoaded",()=>{f(()=>f(w));setTimeout(()=>go(),${GIVE_UP_MS})})`
  return `{let d=document,f=requestAnimationFrame,n=${FRAMES},${go},${wait};if(${kept}||${answered})d.documentElement.className="typeset",${font};${start}}`
}
