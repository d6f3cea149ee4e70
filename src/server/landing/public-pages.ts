import type { ActiveToolList } from '#contract/inventory.ts'
import type { DocumentAssets } from '#landing/pages/document.tsx'
import type { Config } from '../config.ts'
import { type Headers, otherHeaders, pageHeaders } from '../http/security/headers.ts'
import {
  type CompressText,
  type PreparedResponse,
  prepareResponse,
  SwappedResponse,
} from '../http/static/responses.ts'
import type { LandingRenderer, Pictures } from './build-output.ts'
import { publicPagePolicy } from './page.ts'
import { siteFiles } from './site-files.ts'

/** The text that says whom data goes to. */
const CHANGING_SLUG = 'privacidade'

interface PublicPagesDeps {
  config: Config
  renderer: LandingRenderer
  documentAssets: DocumentAssets
  compressPage: CompressText
  pictures: Pictures
  /** Built files by their public path. */
  staticAssets: ReadonlyMap<string, PreparedResponse>
}

/** Everything public that never changes while the process runs, by path, ready to be sent. */
export async function preparePublicPages(deps: PublicPagesDeps): Promise<Map<string, PreparedResponse>> {
  const { config, renderer, documentAssets, pictures, staticAssets } = deps
  const prepare = preparer(deps.compressPage)
  const page = {
    ...pageHeaders(publicPagePolicy(config, documentAssets), { hsts: config.hsts }),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  }
  const file = { ...otherHeaders(config.hsts), 'cache-control': 'public, max-age=3600' }
  const legal = renderer.LEGAL_TITLES.filter(({ slug }) => slug !== LIVING_SLUG)
  const documents = legal.map(({ slug }) =>
    prepare(renderer.legalPagePath(slug), renderer.renderLegalPage(config.site, documentAssets, slug), page),
  )
  const texts = legal.map(({ slug }) =>
    prepare(renderer.legalJsonPath(slug), JSON.stringify(renderer.LEGAL_DOCUMENTS[slug](config.site)), {
      ...file,
      ...(slug === CHANGING_SLUG ? { 'cache-control': 'no-cache' } : {}),
      'content-type': 'application/json; charset=utf-8',
    }),
  )
  const files = siteFiles({
    site: config.site,
    pictures,
    llmsText: renderer.renderLlmsText(config.site),
    pagePaths: ['/', ...renderer.LEGAL_TITLES.map(({ slug }) => renderer.legalPagePath(slug))],
  }).map(({ path, type, body }) => prepare(path, body, { ...file, 'content-type': type }))
  // Asked for at these places by those who do not read the page's links.
  const icons = [
    ['/favicon.ico', staticAssets.get(pictures.icon)],
    ['/apple-touch-icon.png', staticAssets.get(pictures.touchIcon)],
  ] as const
  return new Map([
    ...staticAssets,
    ...(await Promise.all([...documents, ...texts, ...files])),
    ...icons.filter(
      (entry): entry is readonly [(typeof entry)[0], PreparedResponse] => entry[1] !== undefined,
    ),
  ])
}

/** What the same addresses answer while a pixel sends the address of a subscription: the privacy policy says so. */
export async function prepareEmailPages({
  config,
  renderer,
  documentAssets,
  compressPage,
}: Omit<PublicPagesDeps, 'pictures' | 'staticAssets'>): Promise<Map<string, PreparedResponse>> {
  const prepare = preparer(compressPage)
  const site = { ...config.site, sendsEmail: true }
  return new Map(
    await Promise.all([
      prepare(
        renderer.legalPagePath(CHANGING_SLUG),
        renderer.renderLegalPage(site, documentAssets, CHANGING_SLUG),
        {
          ...pageHeaders(publicPagePolicy(config, documentAssets), { hsts: config.hsts }),
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-cache',
        },
      ),
      prepare(
        renderer.legalJsonPath(CHANGING_SLUG),
        JSON.stringify(renderer.LEGAL_DOCUMENTS[CHANGING_SLUG](site)),
        {
          ...otherHeaders(config.hsts),
          'cache-control': 'no-cache',
          'content-type': 'application/json; charset=utf-8',
        },
      ),
    ]),
  )
}

function preparer(compress: CompressText) {
  return async (path: string, text: string, headers: Headers): Promise<[string, PreparedResponse]> => {
    const body = Buffer.from(text)
    return [path, prepareResponse(body, await compress(body), headers)]
  }
}

/** The one legal text that changes while the process runs: it ends with the tools that are on the site. */
export const LIVING_SLUG = 'cookies'

interface CookiePolicyDeps {
  config: Config
  renderer: LandingRenderer
  documentAssets: DocumentAssets
  compressPage: CompressText
}

/** Holds the cookie policy as bytes, as a page and as the text of its dialog. */
export class CookiePolicyStore {
  readonly #deps: CookiePolicyDeps
  readonly #page: SwappedResponse
  readonly #text: SwappedResponse
  readonly #byPath: ReadonlyMap<string, SwappedResponse>
  #shown = ''

  constructor(deps: CookiePolicyDeps) {
    this.#deps = deps
    this.#page = new SwappedResponse(deps.compressPage)
    this.#text = new SwappedResponse(deps.compressPage)
    this.#byPath = new Map([
      [deps.renderer.legalPagePath(LIVING_SLUG), this.#page],
      [deps.renderer.legalJsonPath(LIVING_SLUG), this.#text],
    ])
  }

  /** When it resolves, the next request gets the policy with this list. */
  async compose(list: ActiveToolList): Promise<void> {
    const shown = JSON.stringify(list)
    if (shown === this.#shown) return
    const { config, renderer, documentAssets } = this.#deps
    const { site, hsts } = config
    const html = renderer.renderLegalPage(site, documentAssets, LIVING_SLUG, list)
    const text = renderer.withActiveTools(renderer.LEGAL_DOCUMENTS[LIVING_SLUG](site), list, site)
    // Asked again each time: what it says must be what runs.
    const fresh = { 'cache-control': 'no-cache' }
    await Promise.all([
      this.#page.swap(Buffer.from(html), {
        ...pageHeaders(publicPagePolicy(config, documentAssets), { hsts }),
        'content-type': 'text/html; charset=utf-8',
        ...fresh,
      }),
      this.#text.swap(Buffer.from(JSON.stringify(text)), {
        ...otherHeaders(hsts),
        ...fresh,
        'content-type': 'application/json; charset=utf-8',
      }),
    ])
    this.#shown = shown
  }

  get(path: string): PreparedResponse | undefined {
    return this.#byPath.get(path)?.current ?? undefined
  }
}
