import { createHash } from 'node:crypto'
import type { DocumentAssets } from '#landing/document.tsx'
import type { Config } from '../config.ts'
import { type Policy, publicPolicy } from '../http/content-security-policy.ts'
import { ownOrigins } from '../http/own-origins.ts'
import { compressText, type PreparedResponse, prepareResponse } from '../http/prepared-response.ts'
import { pageHeaders } from '../http/security-headers.ts'
import type { LandingRenderer } from './render-bundle.ts'

/** Holds the page as bytes. A request is a lookup; whatever changes the page swaps the bytes. */
export class PageStore {
  readonly #html: string
  readonly #policy: Policy
  readonly #https: boolean
  #page: PreparedResponse | null = null

  constructor(config: Config, renderer: LandingRenderer, assets: DocumentAssets) {
    this.#html = renderer.renderLanding(config.site, assets)
    this.#https = config.siteUrl.startsWith('https:')
    this.#policy = publicPagePolicy(config, assets)
  }

  async compose(): Promise<void> {
    const body = Buffer.from(this.#html)
    this.#page = prepareResponse(body, await compressText(body), {
      ...pageHeaders(this.#policy, { https: this.#https }),
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    })
  }

  get page(): PreparedResponse {
    if (this.#page === null) throw new Error('the page has not been composed yet')
    return this.#page
  }
}

/** The policy of a page without tags. */
export function publicPagePolicy(config: Config, assets: DocumentAssets): Policy {
  return publicPolicy({
    origins: ownOrigins(config.siteUrl),
    styleHashes: [sourceHash(assets.css), sourceHash(assets.sheetCss)],
    scriptHashes: [],
  })
}

export function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
