import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { ActiveTool } from '#contract/inventory.ts'
import type { SiteInfo } from '#contract/site.ts'
import { FEES_PATH, type SiteContent } from '#contract/site-content.ts'
import type { Config } from '../config.ts'
import { emailSharingOf } from '../conversions/destinations/destinations.ts'
import type { Logger } from '../http/logging/logger.ts'
import type { HostOf } from '../http/security/classes.ts'
import { type Headers, otherHeaders } from '../http/security/headers.ts'
import type { FastPath } from '../http/sockets/raw-server.ts'
import { BuildManifest, loadStaticAssets } from '../http/static/assets.ts'
import { type CompressText, type PreparedResponse, sendPrepared } from '../http/static/responses.ts'
import { loadRenderBundle, readDocumentAssets, readPictures } from './build-output.ts'
import { PageStore, type PageTags, publicPagePolicy } from './page.ts'
import { CookiePolicyStore, createFeesPage, prepareEmailPages, preparePublicPages } from './public-pages.ts'
import { readSiteContent, watchSiteContent } from './site-content.ts'

interface FastPathPorts {
  hostOf: HostOf
  /** Of the wording of the current set. */
  textVersion: () => number
  tagFile: (path: string) => PreparedResponse | undefined
  /** Called for each GET of a page for people; null if nobody counts. */
  onPageView: OnPageView | null
}

type OnPageView = (request: IncomingMessage, page: `/${string}`, query: string | null) => void

/** Everything public as bytes: the page, the cookie policy, other pages and built files. */
export async function composeSite(config: Config, distDir: string, compressPage: CompressText) {
  const client = join(distDir, 'client')
  const manifest = new BuildManifest(client)
  const renderer = await loadRenderBundle(distDir)
  const documentAssets = readDocumentAssets(distDir, manifest)
  const staticAssets = loadStaticAssets(join(client, 'assets'), otherHeaders(config.hsts))
  const rendering = { config, renderer, documentAssets, compressPage }
  const withContent = (content: SiteContent | null) => ({ ...config.site, content })
  const prepareAll = (info: SiteInfo) =>
    preparePublicPages({ ...rendering, site: info, pictures: readPictures(client), staticAssets })
  const file = config.siteContentFile
  let info: SiteInfo = withContent(file === null ? null : readSiteContent(file))
  let publicPages = await prepareAll(info)
  // By version of the wording, made when pixels first send addresses to these recipients.
  const emailPages = new Map<number, ReadonlyMap<string, PreparedResponse>>()
  const pages = new PageStore(rendering, info)
  const feesPage = createFeesPage(rendering)
  const cookiePolicy = new CookiePolicyStore(rendering)
  const newsletterAnswers = new Map<string, string>()
  return {
    manifest,
    renderer,
    policy: publicPagePolicy(config, documentAssets),
    errorPages: {
      404: renderer.renderErrorPage(config.site, documentAssets, 404),
      500: renderer.renderErrorPage(config.site, documentAssets, 500),
    },
    renderSummaryPage: (state: Parameters<typeof renderer.renderSummaryPage>[2]): string =>
      renderer.renderSummaryPage(config.site, documentAssets, state),
    /** The page with the response to a plain form post; each of the few variants is rendered once. */
    renderNewsletterAnswer: (message: string, textVersion: number): string => {
      const key = `${textVersion} ${message}`
      const known = newsletterAnswers.get(key)
      if (known !== undefined) return known
      const site = { ...info, emailSharing: emailSharingOf(textVersion) }
      const page = renderer.renderNewsletterAnswer(site, documentAssets, message)
      newsletterAnswers.set(key, page)
      return page
    },
    /** Whether the path is a page for people, on which tags run and visits are counted. */
    isPage: (path: string): boolean => pages.get(path) !== undefined,

    measureHead: (policy: Parameters<PageStore['measureHead']>[0]) => pages.measureHead(policy),

    /**
     * Resolves when the next request gets the page with these tags and the policy with these tools. `note` gets the
     * hash of the page's headers and returns since when the list of tools is unchanged.
     */
    swap: async (
      tags: PageTags,
      tools: readonly ActiveTool[],
      note: (headersHash: string) => Promise<string>,
    ): Promise<void> => {
      const { textVersion } = tags
      const sharing = emailSharingOf(textVersion)
      if (sharing !== null && !emailPages.has(textVersion))
        emailPages.set(textVersion, await prepareEmailPages(rendering, sharing))
      await pages.compose(tags)
      const changed_at = await note(pages.headersHash)
      await cookiePolicy.compose({ tools: [...tools], changed_at })
    },

    /** Shows each new valid version of the content file. Returns a function that stops it. */
    watchContent: (log: Logger): (() => void) => {
      if (file === null) return () => {}
      return watchSiteContent(file, log, async (content) => {
        const next = withContent(content)
        const prepared = await prepareAll(next)
        await pages.renew(next)
        info = next
        publicPages = prepared
        newsletterAnswers.clear()
      })
    },

    createFastPath: ({ hostOf, textVersion, tagFile, onPageView }: FastPathPorts): FastPath =>
      createFastPath({
        pages,
        cookiePolicy,
        shared: staticAssets,
        site: {
          get: (path) => emailPages.get(textVersion())?.get(path) ?? publicPages.get(path),
        },
        feesPage: (query) => feesPage(info, query),
        tagFile,
        hostOf,
        onPageView,
        redirectHeaders: otherHeaders(config.hsts),
      }),
  }
}

interface FastPathParts {
  pages: PageStore
  cookiePolicy: CookiePolicyStore
  /** Built files, served on both hosts. */
  shared: ReadonlyMap<string, PreparedResponse>
  /** The public host's pages and files. */
  site: Pick<ReadonlyMap<string, PreparedResponse>, 'get'>
  /** Undefined if no fees are configured. */
  feesPage: (query: string) => PreparedResponse | undefined
  tagFile: (path: string) => PreparedResponse | undefined
  hostOf: HostOf
  onPageView: OnPageView | null
  redirectHeaders: Headers
}

/** `/`, `/assets`, `/tags` and `/isolado` from memory, before the framework. */
function createFastPath(parts: FastPathParts): FastPath {
  const { pages, cookiePolicy, shared, site, feesPage, tagFile, hostOf, onPageView, redirectHeaders } = parts
  return (request, response, target) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const { path, query } = target
    const prepared = shared.get(path) ?? (hostOf(target) === 'admin' ? undefined : ofSite(path, query))
    if (prepared === undefined) return redirectToPage(response, target)
    sendPrepared(request, response, prepared)
    if (onPageView !== null && request.method === 'GET' && pages.get(path) === prepared)
      onPageView(request, path as `/${string}`, query)
    return true
  }

  /** Somebody typed a slash behind the path of a page. */
  function redirectToPage(response: ServerResponse, target: Parameters<FastPath>[2]): boolean {
    const { path, query } = target
    if (!path.endsWith('/') || hostOf(target) === 'admin') return false
    const to = path.slice(0, -1)
    const page = ofSite(to, null)?.headers
    if (page?.['content-type']?.startsWith('text/html') !== true) return false
    response
      .writeHead(301, {
        ...redirectHeaders,
        // As for the page itself: what was typed into the simulator is in the address.
        'referrer-policy': page['referrer-policy'],
        'cache-control': page['cache-control'],
        location: query === null ? to : `${to}?${query}`,
        'content-length': 0,
      })
      .end()
    return true
  }

  function ofSite(path: string, query: string | null): PreparedResponse | undefined {
    if (path === FEES_PATH) return feesPage(query ?? '')
    return pages.get(path) ?? site.get(path) ?? cookiePolicy.get(path) ?? tagFile(path)
  }
}
