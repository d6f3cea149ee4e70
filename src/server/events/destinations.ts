import type { OptionalCategory } from '#contract/consent.ts'
import type { PixelDelivery, PixelType } from '#contract/pixel.ts'
import type { Db } from '#server/db/database.ts'

/** A pixel that the server tells of events. */
export interface Destination {
  id: string
  kind: 'meta' | 'google_analytics' | 'webhook'
  category: OptionalCategory
  /** The browser tells the vendor, too: of page views it alone does, because its snippet gives them no ID. */
  alsoInBrowser: boolean
  sendsEmail: boolean
}

export interface Destinations {
  all: readonly Destination[]
  /** Meta's own script runs on the page, and has to read its cookies. */
  metaInBrowser: boolean
}

const NONE: Destinations = { all: [], metaInBrowser: false }
const KINDS: Partial<Record<PixelType, Destination['kind']>> = {
  meta: 'meta',
  google_analytics: 'google_analytics',
  custom: 'webhook',
}

/** A change of a pixel is seen by every process within this. */
const FRESH_MS = 1_000

/** Whom events are for, as the database says, asked at most once a second however many come. */
export class DestinationList {
  readonly #db: Db
  #known = NONE
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<Destinations> | null = null

  constructor(db: Db) {
    this.#db = db
  }

  async current(): Promise<Destinations> {
    if (performance.now() - this.#readAt < FRESH_MS) return this.#known
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  /** A pixel was changed by this process. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }

  async #read(): Promise<Destinations> {
    const at = performance.now()
    const [site, pixels] = await Promise.all([
      this.#db.selectFrom('site_state').select('tags_paused_at').executeTakeFirstOrThrow(),
      // Few have a secret; of ten thousand pixels, nobody looks at the others.
      this.#db
        .selectFrom('pixel_secrets as secret')
        .innerJoin('tracking_pixels as pixel', 'pixel.id', 'secret.pixel_id')
        .select([
          'pixel.id',
          'pixel.type',
          'pixel.delivery',
          'pixel.consent_category',
          'pixel.send_hashed_email',
        ])
        .where('pixel.is_active', '=', true)
        .where('pixel.delivery', '<>', 'browser')
        .execute(),
    ])
    const all = site.tags_paused_at === null ? pixels.flatMap(toDestination) : []
    const metaInBrowser = all.some(({ kind }) => kind === 'meta') && (await this.#runsMetaScript())
    this.#known = { all, metaInBrowser }
    this.#readAt = at
    return this.#known
  }

  async #runsMetaScript(): Promise<boolean> {
    const found = await this.#db
      .selectFrom('tracking_pixels')
      .select('id')
      .where('is_active', '=', true)
      .where((eb) =>
        eb.or([
          eb('type', '=', 'google_tag_manager'),
          eb.and([eb('type', '=', 'meta'), eb('delivery', '<>', 'server')]),
        ]),
      )
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  }
}

interface PixelRow {
  id: string
  type: PixelType
  delivery: PixelDelivery
  consent_category: OptionalCategory
  send_hashed_email: boolean
}

function toDestination(pixel: PixelRow): Destination[] {
  const kind = KINDS[pixel.type]
  if (kind === undefined) return []
  return [
    {
      id: pixel.id,
      kind,
      category: pixel.consent_category,
      alsoInBrowser: pixel.delivery === 'both',
      sendsEmail: pixel.send_hashed_email,
    },
  ]
}
