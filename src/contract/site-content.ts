/** Facts of the company that the page shows only if they are configured (`SITE_CONTENT_FILE`). */
export interface SiteContent {
  /** One row per payment method. With rows there is `/taxas`. */
  readonly fees?: readonly Fee[] | undefined
  readonly analysis?: { readonly business_days: number; readonly documents: readonly string[] } | undefined
  /** The regulator's authorisation, or the institution that holds it. */
  readonly regulation?: { readonly text: string; readonly url?: string | undefined } | undefined
  readonly certificates?:
    | readonly { readonly name: string; readonly valid_until: string; readonly url?: string | undefined }[]
    | undefined
  readonly developers?:
    | {
        readonly docs_url?: string | undefined
        readonly sandbox_url?: string | undefined
        readonly status_url?: string | undefined
      }
    | undefined
  readonly plugins?: readonly { readonly name: string; readonly url: string }[] | undefined
  readonly addresses?: readonly { readonly name: string; readonly address: string }[] | undefined
  /** Those who allowed their logo to be shown. */
  readonly clients?: readonly ClientLogo[] | undefined
  /** One page per niche, at `/nichos/<slug>`. */
  readonly niches?: readonly NicheContent[] | undefined
}

export interface Fee {
  readonly method: string
  /** Of the amount of a sale: 0.99 for 0.99 %. */
  readonly percent: number
  /** Added to each sale, in cents. */
  readonly fixed_cents: number
  readonly settlement_days: number
}

export interface ClientLogo {
  readonly name: string
  readonly url?: string | undefined
  /** Public path of the picture, which is served from memory. */
  readonly path: string
  readonly type: string
  readonly body: Uint8Array
}

export interface NicheContent {
  readonly slug: string
  readonly headline: string
  readonly intro: string
  readonly points: readonly { readonly title: string; readonly text: string }[]
  readonly questions?: readonly { readonly question: string; readonly answer: string }[] | undefined
}

/** The niches of the description, as named in addresses. */
export const NICHE_SLUGS = [
  'ecommerce',
  'comunidades',
  'gaming',
  'imobiliario',
  'automotivo',
  'educacao',
  'arte',
  'saude',
] as const

export const FEES_PATH = '/taxas'

export function nichePath(slug: string): `/nichos/${string}` {
  return `/nichos/${slug}`
}
