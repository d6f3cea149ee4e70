import { join } from 'node:path'
import type { ActiveTool } from '#contract/inventory.ts'
import type { Config } from '../config.ts'
import type { HostOf } from '../http/security/classes.ts'
import { otherHeaders } from '../http/security/headers.ts'
import type { FastPath } from '../http/sockets/raw-server.ts'
import { BuildManifest, loadStaticAssets } from '../http/static/assets.ts'
import { type CompressText, type PreparedResponse, sendPrepared } from '../http/static/responses.ts'
import { loadRenderBundle, readDocumentAssets, readPictures } from './build-output.ts'
import { PageStore, type PageTags, publicPagePolicy } from './page.ts'
import { CookiePolicyStore, prepareEmailPages, preparePublicPages } from './public-pages.ts'

interface FastPathPorts {
  hostOf: HostOf
  /** Whether a pixel of the current set sends the address of a subscription. */
  sendsEmail: () => boolean
  tagFile: (path: string) => PreparedResponse | undefined
}

/** Everything public that is rendered, held as bytes: the page, the cookie policy, the other pages and the built files. */
export async function composeSite(config: Config, distDir: string, compressPage: CompressText) {
  const client = join(distDir, 'client')
  const manifest = new BuildManifest(client)
  const renderer = await loadRenderBundle(distDir)
  const documentAssets = readDocumentAssets(distDir, manifest)
  const staticAssets = loadStaticAssets(join(client, 'assets'), otherHeaders(config.hsts))
  const rendering = { config, renderer, documentAssets, compressPage }
  const publicPages = await preparePublicPages({ ...rendering, pictures: readPictures(client), staticAssets })
  const emailPages = await prepareEmailPages(rendering)
  const pages = new PageStore(rendering)
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
    /** The page with the answer to a plain form post; each of the few answers is rendered once. */
    renderNewsletterAnswer: (message: string, sendsEmail: boolean): string => {
      const key = `${sendsEmail} ${message}`
      const known = newsletterAnswers.get(key)
      if (known !== undefined) return known
      const page = renderer.renderNewsletterAnswer({ ...config.site, sendsEmail }, documentAssets, message)
      newsletterAnswers.set(key, page)
      return page
    },
    measureHead: (policy: Parameters<PageStore['measureHead']>[0]) => pages.measureHead(policy),

    /**
     * When it resolves, the next request gets the page with these tags and the policy with these tools. `note` is told
     * the hash of the page's headers, and says since when the list of tools is as it is.
     */
    swap: async (
      tags: PageTags,
      tools: readonly ActiveTool[],
      note: (headersHash: string) => Promise<string>,
    ): Promise<void> => {
      await pages.compose(tags)
      const changed_at = await note(pages.headersHash)
      await cookiePolicy.compose({ tools: [...tools], changed_at })
    },

    createFastPath: ({ hostOf, sendsEmail, tagFile }: FastPathPorts): FastPath =>
      createFastPath({
        pages,
        cookiePolicy,
        shared: staticAssets,
        site: {
          get: (path) => (sendsEmail() ? emailPages.get(path) : undefined) ?? publicPages.get(path),
        },
        tagFile,
        hostOf,
      }),
  }
}

interface FastPathParts {
  pages: PageStore
  cookiePolicy: CookiePolicyStore
  /** Built files, which both hosts answer. */
  shared: ReadonlyMap<string, PreparedResponse>
  /** The public host's pages and files. */
  site: Pick<ReadonlyMap<string, PreparedResponse>, 'get'>
  tagFile: (path: string) => PreparedResponse | undefined
  hostOf: HostOf
}

/** `/`, `/assets`, `/tags` and `/isolado` straight from memory, in front of the framework. */
function createFastPath({ pages, cookiePolicy, shared, site, tagFile, hostOf }: FastPathParts): FastPath {
  return (request, response, target) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const { path } = target
    const prepared = shared.get(path) ?? (hostOf(target) === 'admin' ? undefined : ofSite(path))
    if (prepared === undefined) return false
    sendPrepared(request, response, prepared)
    return true
  }

  function ofSite(path: string): PreparedResponse | undefined {
    return path === '/' ? pages.page : (site.get(path) ?? cookiePolicy.get(path) ?? tagFile(path))
  }
}
