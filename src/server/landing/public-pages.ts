import { toBuffer } from 'qrcode'
import type { ActiveToolList } from '#contract/inventory.ts'
import { type EmailSharing, REGISTER_QR_PATH, type SiteInfo } from '#contract/site.ts'
import { FEES_PATH, nichePath } from '#contract/site-content.ts'
import { COLORS } from '#design/colors.ts'
import type { DocumentAssets } from '#landing/pages/document.tsx'
import type { Config } from '../config.ts'
import { publicPolicy } from '../http/security/content-security-policy.ts'
import { type Headers, otherHeaders, pageHeaders } from '../http/security/headers.ts'
import { ownOrigins } from '../http/security/own-origins.ts'
import {
  type CompressText,
  type PreparedResponse,
  prepareResponse,
  SwappedResponse,
} from '../http/static/responses.ts'
import type { LandingRenderer, Pictures } from './build-output.ts'
import { publicPagePolicy, sourceHash } from './page.ts'
import { siteFiles } from './site-files.ts'

/** The text that lists recipients. */
const CHANGING_SLUG = 'privacidade'

interface PublicPagesDeps {
  config: Config
  renderer: LandingRenderer
  documentAssets: DocumentAssets
  compressPage: CompressText
  pictures: Pictures
  /** With the content of the content file. */
  site: SiteInfo
  /** Built files by public path. */
  staticAssets: ReadonlyMap<string, PreparedResponse>
}

/** Everything public that is static, by path, ready to be sent. */
export async function preparePublicPages(deps: PublicPagesDeps): Promise<Map<string, PreparedResponse>> {
  const { config, renderer, documentAssets, pictures, staticAssets, site } = deps
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
    pagePaths: [
      '/',
      ...(site.content?.fees ? [FEES_PATH] : []),
      ...(site.content?.niches ?? []).map(({ slug }) => nichePath(slug)),
      ...renderer.LEGAL_TITLES.map(({ slug }) => renderer.legalPagePath(slug)),
    ],
  }).map(({ path, type, body }) => prepare(path, body, { ...file, 'content-type': type }))
  const drawings = renderer
    .renderLazyDrawings()
    .map(([path, svg]) => prepare(path, svg, { ...file, 'content-type': 'image/svg+xml' }))
  const logos = (site.content?.clients ?? []).map(({ path, type, body }): [string, PreparedResponse] => [
    path,
    prepareResponse(Buffer.from(body), { br: null, gzip: null }, { ...file, 'content-type': type }),
  ])
  // Requested by programs that do not read the page's links.
  const icons = [
    ['/favicon.ico', staticAssets.get(pictures.icon)],
    ['/apple-touch-icon.png', staticAssets.get(pictures.touchIcon)],
  ] as const
  return new Map([
    ...staticAssets,
    [REGISTER_QR_PATH, await drawQr(config.site.registerUrl, { ...file, 'content-type': 'image/png' })],
    ...(await Promise.all([...documents, ...texts, ...files, ...drawings])),
    ...logos,
    ...icons.filter(
      (entry): entry is readonly [(typeof entry)[0], PreparedResponse] => entry[1] !== undefined,
    ),
  ])
}

/** Without the white edge that readers need: the phone on the page, where it is drawn, is white. */
async function drawQr(text: string, headers: Headers): Promise<PreparedResponse> {
  const options = { errorCorrectionLevel: 'L', margin: 0, scale: 8, color: { dark: COLORS.ink } } as const
  return prepareResponse(await toBuffer(text, options), { br: null, gzip: null }, headers)
}

/** The same addresses while pixels send hashed addresses: the privacy policy says to whom. */
export async function prepareEmailPages(
  {
    config,
    renderer,
    documentAssets,
    compressPage,
  }: Omit<PublicPagesDeps, 'pictures' | 'staticAssets' | 'site'>,
  emailSharing: EmailSharing,
): Promise<Map<string, PreparedResponse>> {
  const prepare = preparer(compressPage)
  const site = { ...config.site, emailSharing }
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

interface FeesPageDeps {
  config: Config
  renderer: LandingRenderer
  documentAssets: DocumentAssets
}

/**
 * `/taxas`, rendered for each query. No script and no tag runs on it, its form leads nowhere else, and neither another
 * window nor another page of the site learns its address, which holds what a visitor typed.
 */
export function createFeesPage({ config, renderer, documentAssets: assets }: FeesPageDeps) {
  const origins = ownOrigins(config.siteUrl)
  const policy = {
    ...publicPolicy({
      origins,
      styleHashes: [sourceHash(assets.plainCss + assets.contentCss)],
      scriptHashes: [],
    }),
    'script-src': ["'none'"],
    'connect-src': ["'none'"],
    'form-action': origins.map((origin) => origin + FEES_PATH),
  }
  const headers = {
    ...pageHeaders(policy, { hsts: config.hsts, opener: 'same-origin' }),
    'referrer-policy': 'no-referrer',
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  }
  return (site: SiteInfo, query: string): PreparedResponse | undefined => {
    const html = renderer.renderFeesPage(site, assets, query)
    return html === null ? undefined : prepareResponse(Buffer.from(html), { br: null, gzip: null }, headers)
  }
}

/** The legal text that changes at run time: it ends with the tools on the site. */
export const LIVING_SLUG = 'cookies'

interface CookiePolicyDeps {
  config: Config
  renderer: LandingRenderer
  documentAssets: DocumentAssets
  compressPage: CompressText
}

/** The cookie policy as bytes, as a page and as the text of its dialog. */
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

  /** Resolves when the next request gets the policy with this list. */
  async compose(list: ActiveToolList): Promise<void> {
    const shown = JSON.stringify(list)
    if (shown === this.#shown) return
    const { config, renderer, documentAssets } = this.#deps
    const { site, hsts } = config
    const html = renderer.renderLegalPage(site, documentAssets, LIVING_SLUG, list)
    const text = renderer.withActiveTools(renderer.LEGAL_DOCUMENTS[LIVING_SLUG](site), list, site)
    // Revalidated each time, because it must match the active tags.
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
