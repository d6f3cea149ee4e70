import type { ViteDevServer } from 'vite'
import type { DocumentAssets } from '../src/landing/pages/document.tsx'
import type { Config } from '../src/server/config.ts'
import type { LandingRenderer } from '../src/server/landing/build-output.ts'
import { LIVING_SLUG } from '../src/server/landing/public-pages.ts'

/** Sources where a build has hashed files. */
function sourceAssets(): DocumentAssets {
  return {
    css: '',
    plainCss: '',
    laterCss: '',
    contentCss: '',
    bootScript: '/src/landing/browser/boot/boot.ts',
    prefetch: [],
    font: '/src/design/fonts/sans.woff2',
    pictures: { icon: 'data:,', touchIcon: 'data:,', share: 'data:,', shareUnnamed: 'data:,' },
  }
}

/**
 * The page of a path, rendered from the current sources; null for other paths, and for the cookie policy, whose tools
 * only the server knows.
 */
export async function renderPageFromSource(
  vite: ViteDevServer,
  config: Config,
  path: string,
): Promise<string | null> {
  const renderer = (await vite.ssrLoadModule('/src/landing/pages/render.tsx')) as LandingRenderer
  const legal = renderer.LEGAL_TITLES.find(({ slug }) => path === renderer.legalPagePath(slug))
  if ((path !== '/' && legal === undefined) || legal?.slug === LIVING_SLUG) return null
  const html =
    legal === undefined
      ? renderer.renderLanding(config.site, sourceAssets())
      : renderer.renderLegalPage(config.site, sourceAssets(), legal.slug)
  const sheets = legal === undefined ? ['landing-page', 'later', 'content'] : ['plain-pages']
  const links = sheets.map((sheet) => `<link rel="stylesheet" href="/src/landing/styles/${sheet}.css">`)
  const styled = html.replace('<style></style>', links.join(''))
  return vite.transformIndexHtml(path, styled)
}

/** The server's own dashboard page, with its session, but with sources in place of built files. */
export function renderAdminFromSource(vite: ViteDevServer, html: string, path: string): Promise<string> {
  const bare = html
    .replace(/<link rel="(?:stylesheet|modulepreload|preload)"[^>]* href="\/assets\/[^>]+>/g, '')
    .replace(
      /<script type="module" src="\/assets\/[^"]+"><\/script>/,
      '<script type="module" src="/src/admin/main.tsx"></script>',
    )
  return vite.transformIndexHtml(path, bare)
}
