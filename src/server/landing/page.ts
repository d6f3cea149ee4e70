import { createHash } from 'node:crypto'
import type { ConsentCategory } from '#contract/consent.ts'
import { EMAIL_TEXT_VERSION, toLetters } from '#contract/consent-choice.ts'
import {
  TAG_CATEGORIES_ATTRIBUTE,
  TAG_SET_ATTRIBUTE,
  TEXT_VERSION_ATTRIBUTE,
} from '#contract/tag-manifest.ts'
import { CSP_REPORT_PATH } from '#contract/tag-report.ts'
import { bootLoader } from '#landing/pages/boot-loader.ts'
import type { DocumentAssets } from '#landing/pages/document.tsx'
import type { Config } from '../config.ts'
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
  headBytes,
  type PreparedResponse,
  SwappedResponse,
} from '../http/static/responses.ts'
import type { LandingRenderer } from './build-output.ts'

/** What the page must know of the tags that run on it. */
export interface PageTags {
  /** Hash that names the manifest; null while no tag runs. */
  version: string | null
  categories: readonly ConsentCategory[]
  sources: TagSources
  trustsContainer: boolean
  /** A pixel sends the address of a subscription: the banner says so, and asks again. */
  sendsEmail: boolean
  /** True while a tag runs in a frame of its own. */
  hasRooms: boolean
  /** What stands in the page's own HTML, for everybody. */
  head: readonly PageHeadItem[]
}

/** What of them the policy is made of. */
type PolicyTags = Pick<PageTags, 'sources' | 'trustsContainer' | 'hasRooms'>

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

/** Holds the page as bytes. A request is a lookup; whatever changes the page swaps the bytes. */
export class PageStore {
  readonly #html: string
  /** The same with what the banner says while a pixel sends the address of a subscription. */
  readonly #emailHtml: string
  readonly #policy: Policy
  readonly #https: boolean
  readonly #origins: readonly string[]
  readonly #hsts: string | null
  readonly #page: SwappedResponse
  #headersHash = ''

  constructor({ config, renderer, documentAssets: assets, compressPage }: PageStoreDeps) {
    this.#page = new SwappedResponse(compressPage)
    this.#html = renderer.renderLanding(config.site, assets)
    this.#emailHtml = renderer.renderLanding({ ...config.site, sendsEmail: true }, assets)
    this.#https = config.siteUrl.startsWith('https:')
    this.#origins = ownOrigins(config.siteUrl)
    this.#hsts = config.hsts
    this.#policy = publicPagePolicy(config, assets)
  }

  /** When it resolves, the next request gets the page with these tags. */
  async compose(tags: PageTags | null = null): Promise<void> {
    const { html, policy, opener } = this.#withTags(tags)
    const headers = this.#headers(policy, opener)
    await this.#page.swap(Buffer.from(html), headers)
    this.#headersHash = createHash('sha256').update(JSON.stringify(headers)).digest('hex')
  }

  #withTags(tags: PageTags | null): PagePolicy & { html: string } {
    if (tags === null) return { html: this.#html, policy: this.#policy }
    const html = withHeadItems(tags.sendsEmail ? this.#emailHtml : this.#html, tags.head)
    if (tags.version === null) return { html, policy: this.#policy }
    const letters = toLetters(tags.categories)
    const text = tags.sendsEmail ? `${TEXT_VERSION_ATTRIBUTE}="${EMAIL_TEXT_VERSION}" ` : ''
    const named = replaceOnce(
      html,
      '<html ',
      `<html ${TAG_SET_ATTRIBUTE}="${tags.version}" ${TAG_CATEGORIES_ATTRIBUTE}="${letters}" ${text}`,
    )
    return { html: named, ...this.#policyWith(tags) }
  }

  #policyWith({ sources, trustsContainer, hasRooms }: PolicyTags): PagePolicy {
    const policy = withTags(this.#policy, {
      sources,
      trustsContainer,
      reportPath: CSP_REPORT_PATH,
      https: this.#https,
      roomOrigins: hasRooms ? this.#origins : [],
    })
    // An opener policy would cut the vendor's preview window off from the page.
    return trustsContainer ? { policy, opener: { opener: null } } : { policy }
  }

  #headers(policy: Policy, opener: PagePolicy['opener']): Headers {
    return {
      ...pageHeaders(policy, { hsts: this.#hsts, ...opener }),
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    }
  }

  /** Bytes of the page's head, as a client receives it, with these in its policy. */
  measureHead(tags: PolicyTags): number {
    const { policy, opener } = this.#policyWith(tags)
    return headBytes(this.#headers(policy, opener))
  }

  get page(): PreparedResponse {
    const { current } = this.#page
    if (current === null) throw new Error('the page has not been composed yet')
    return current
  }

  /** SHA-256 of the headers that come with the page, as hexadecimal digits. */
  get headersHash(): string {
    return this.#headersHash
  }
}

/** The policy of a page without tags. */
export function publicPagePolicy(config: Config, assets: DocumentAssets): Policy {
  return publicPolicy({
    origins: ownOrigins(config.siteUrl),
    styleHashes: [sourceHash(assets.css), sourceHash(assets.plainCss)],
    scriptHashes: assets.bootScript === null ? [] : [sourceHash(bootLoader(assets.bootScript))],
  })
}

function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function replaceOnce(text: string, search: string, replacement: string): string {
  const at = text.indexOf(search)
  if (at === -1) throw new Error(`the page has no ${search}`)
  return text.slice(0, at) + replacement + text.slice(at + search.length)
}

/** What a person pasted that stands in the page itself: a proof of whose site this is, or structured data. */
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

/** No text inside can end the element, nor begin a comment in it. */
function escapeJson(json: string): string {
  return json.replaceAll('<', '\\u003c')
}

function insertBefore(html: string, mark: string, text: string): string {
  const at = html.lastIndexOf(mark)
  if (at === -1) throw new Error(`the page has no ${mark}`)
  return html.slice(0, at) + text + html.slice(at)
}
