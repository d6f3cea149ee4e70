import { createHash } from 'node:crypto'
import type { ConsentCategory } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION, toLetters } from '#contract/consent-choice.ts'
import type { SiteInfo } from '#contract/site.ts'
import {
  TAG_CATEGORIES_ATTRIBUTE,
  TAG_SET_ATTRIBUTE,
  TEXT_VERSION_ATTRIBUTE,
} from '#contract/tag-manifest.ts'
import { CSP_REPORT_PATH } from '#contract/tag-report.ts'
import { bootLoader } from '#landing/pages/boot-loader.ts'
import type { DocumentAssets } from '#landing/pages/document.tsx'
import type { Config } from '../config.ts'
import { emailSharingOf } from '../conversions/destinations/destinations.ts'
import {
  type Policy,
  publicPolicy,
  type TagSources,
  withTags,
} from '../http/security/content-security-policy.ts'
import { type Headers, pageHeaders } from '../http/security/headers.ts'
import { ownOrigins } from '../http/security/own-origins.ts'
import {
  type CompressText,
  escapeJson,
  headBytes,
  type PreparedResponse,
  SwappedResponse,
} from '../http/static/responses.ts'
import type { LandingRenderer } from './build-output.ts'

/** What the page needs to know of the active tags. */
export interface PageTags {
  /** Hash and name of the manifest; null while no tag runs. */
  version: string | null
  categories: readonly ConsentCategory[]
  sources: TagSources
  trustsContainer: boolean
  /** Of the wording: if pixels send hashed addresses, the banner says to whom and asks again. */
  textVersion: number
  /** True while a tag runs in an isolated frame. */
  hasFrames: boolean
  /** Items in the page's HTML, for everybody. */
  head: readonly PageHeadItem[]
}

/** The part that the policy depends on. */
type PolicyTags = Pick<PageTags, 'sources' | 'trustsContainer' | 'hasFrames'>

interface PagePolicy {
  policy: Policy
  opener?: { opener: null }
}

interface PageStoreDeps {
  config: Config
  renderer: LandingRenderer
  documentAssets: DocumentAssets
  compressPage: CompressText
}

/** One page with tags: with each wording, and as it is served. */
interface TaggedPage {
  htmlOf: (textVersion: number) => string
  response: SwappedResponse
}

/** The pages that run tags, as bytes: `/` and the niches. A request is a lookup; a change swaps the bytes. */
export class PageStore {
  readonly #deps: PageStoreDeps
  #pages: ReadonlyMap<string, TaggedPage>
  #tags: PageTags | null = null
  /** One at a time: content and tags may change together. */
  #composing: Promise<unknown> = Promise.resolve()
  readonly #policy: Policy
  readonly #https: boolean
  readonly #origins: readonly string[]
  readonly #hsts: string | null
  #headersHash = ''

  constructor(deps: PageStoreDeps, site: SiteInfo) {
    const { config, documentAssets: assets } = deps
    this.#deps = deps
    this.#pages = this.#render(site)
    this.#https = config.siteUrl.startsWith('https:')
    this.#origins = ownOrigins(config.siteUrl)
    this.#hsts = config.hsts
    this.#policy = publicPagePolicy(config, assets)
  }

  #render(site: SiteInfo): ReadonlyMap<string, TaggedPage> {
    const { renderer, documentAssets, compressPage } = this.#deps
    const render = (facts: SiteInfo) => [
      ['/', renderer.renderLanding(facts, documentAssets)] as const,
      ...renderer.renderNichePages(facts, documentAssets),
    ]
    // Rendered when pixels first send addresses to these recipients.
    const others = new Map<number, ReadonlyMap<string, string>>()
    const htmlOf = (textVersion: number, path: string, ordinary: string) => {
      if (textVersion === CONSENT_TEXT_VERSION) return ordinary
      const known = others.get(textVersion)
      const pages = known ?? new Map(render({ ...site, emailSharing: emailSharingOf(textVersion) }))
      others.set(textVersion, pages)
      return pages.get(path) ?? ordinary
    }
    return new Map(
      render(site).map(([path, html]) => {
        const response = this.#pages?.get(path)?.response ?? new SwappedResponse(compressPage)
        return [path, { htmlOf: (textVersion) => htmlOf(textVersion, path, html), response }]
      }),
    )
  }

  /** Resolves when the next request gets the pages with this content. */
  renew(site: SiteInfo): Promise<void> {
    return this.#inTurn(async () => {
      const pages = this.#render(site)
      await this.#swap(pages, this.#tags)
      this.#pages = pages
    })
  }

  /** Resolves when the next request gets the pages with these tags. */
  compose(tags: PageTags | null = null): Promise<void> {
    return this.#inTurn(async () => {
      await this.#swap(this.#pages, tags)
      this.#tags = tags
    })
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#composing.then(work)
    this.#composing = done.catch(() => {})
    return done
  }

  async #swap(pages: ReadonlyMap<string, TaggedPage>, tags: PageTags | null): Promise<void> {
    const { policy, opener } = tags?.version ? this.#policyWith(tags) : { policy: this.#policy }
    const headers = this.#headers(policy, opener)
    await Promise.all(
      [...pages.values()].map((page) => page.response.swap(Buffer.from(withTagNames(page, tags)), headers)),
    )
    this.#headersHash = createHash('sha256').update(JSON.stringify(headers)).digest('hex')
  }

  #policyWith({ sources, trustsContainer, hasFrames }: PolicyTags): PagePolicy {
    const policy = withTags(this.#policy, {
      sources,
      trustsContainer,
      reportPath: CSP_REPORT_PATH,
      https: this.#https,
      frameOrigins: hasFrames ? this.#origins : [],
    })
    // An opener policy would cut off the vendor's preview window.
    return trustsContainer ? { policy, opener: { opener: null } } : { policy }
  }

  #headers(policy: Policy, opener: PagePolicy['opener']): Headers {
    return {
      ...pageHeaders(policy, { hsts: this.#hsts, ...opener }),
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    }
  }

  /** Size of the page's headers with these tags in its policy. */
  measureHead(tags: PolicyTags): number {
    const { policy, opener } = this.#policyWith(tags)
    return headBytes(this.#headers(policy, opener))
  }

  get(path: string): PreparedResponse | undefined {
    return this.#pages.get(path)?.response.current ?? undefined
  }

  /** SHA-256 of the page's headers, in hexadecimal. */
  get headersHash(): string {
    return this.#headersHash
  }
}

/** The page with what pixels put into its HTML, and the names that its scripts read. */
function withTagNames({ htmlOf }: TaggedPage, tags: PageTags | null): string {
  if (tags === null) return htmlOf(CONSENT_TEXT_VERSION)
  const { textVersion } = tags
  const page = withHeadItems(htmlOf(textVersion), tags.head)
  if (tags.version === null) return page
  const text = textVersion === CONSENT_TEXT_VERSION ? '' : `${TEXT_VERSION_ATTRIBUTE}="${textVersion}" `
  return replaceOnce(
    page,
    '<html ',
    `<html ${TAG_SET_ATTRIBUTE}="${tags.version}" ${TAG_CATEGORIES_ATTRIBUTE}="${toLetters(tags.categories)}" ${text}`,
  )
}

/** The policy of a page without tags. */
export function publicPagePolicy(config: Config, assets: DocumentAssets): Policy {
  return publicPolicy({
    origins: ownOrigins(config.siteUrl),
    styleHashes: [assets.css, assets.laterCss, assets.laterCss + assets.contentCss, assets.plainCss].map(
      sourceHash,
    ),
    scriptHashes: assets.bootScript === null ? [] : [sourceHash(bootLoader(assets.bootScript))],
  })
}

export function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function replaceOnce(text: string, search: string, replacement: string): string {
  const at = text.indexOf(search)
  if (at === -1) throw new Error(`the page has no ${search}`)
  return text.slice(0, at) + replacement + text.slice(at + search.length)
}

/** Pasted items for the page itself: verification metas or structured data. */
type PageHeadItem = { kind: 'meta'; name: string; content: string } | { kind: 'json_ld'; json: string }

/** Metas at the end of the head, structured data at the end of the body, where it delays nothing. */
function withHeadItems(html: string, items: readonly PageHeadItem[]): string {
  const metas = items.map((item) =>
    item.kind === 'meta'
      ? `<meta name="${escapeText(item.name)}" content="${escapeText(item.content)}"/>`
      : '',
  )
  const data = items.map((item) =>
    item.kind === 'json_ld' ? `<script type="application/ld+json">${escapeJson(item.json)}</script>` : '',
  )
  return insertBefore(insertBefore(html, '</head>', metas.join('')), '</body>', data.join(''))
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

function insertBefore(html: string, mark: string, text: string): string {
  const at = html.lastIndexOf(mark)
  if (at === -1) throw new Error(`the page has no ${mark}`)
  return html.slice(0, at) + text + html.slice(at)
}
