import type { ActiveToolList } from '#contract/inventory.ts'
import type { DocumentAssets } from '#landing/pages/document.tsx'
import type { Config } from '../config.ts'
import type { CompressText, PreparedResponse } from '../http/prepared-response.ts'
import { otherHeaders, pageHeaders } from '../http/security-headers.ts'
import { SwappedResponse } from '../http/swapped-response.ts'
import { publicPagePolicy } from './page-store.ts'
import type { LandingRenderer } from './render-bundle.ts'

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
