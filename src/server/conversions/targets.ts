import type { OptionalCategory } from '#contract/consent.ts'
import type { DeliveryDraftInput } from '#contract/conversions.ts'
import type { PixelDelivery, PixelType } from '#contract/pixel.ts'
import type { PixelRow } from '#contract/pixel-columns.ts'
import { readChoice } from '../consent/choice.ts'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { type Destination, isAccepted, type Target } from './destinations/destination.ts'
import { destinationOf } from './destinations/destinations.ts'

/** A stopped pixel tries one delivery again so often: a mended account goes on by itself. */
const PROBE_MS = 3_600_000

export interface SendingPixel {
  id: string
  name: string
  /** When its next delivery is due; null when none waits. */
  due: string | null
  /** It is stopped, and one delivery may be tried. */
  isProbe: boolean
}

/** Pixels that send: on, not paused, with a secret, and either not stopped or stopped for long enough to try again. */
export async function listSending(db: Db, now: number): Promise<SendingPixel[]> {
  const rows = await db
    .selectFrom('pixel_secrets as secret')
    .innerJoin('tracking_pixels as pixel', 'pixel.id', 'secret.pixel_id')
    .leftJoin('delivery_stops as stop', 'stop.pixel_id', 'pixel.id')
    .select(['pixel.id', 'pixel.name', 'stop.code as stop'])
    .select((eb) =>
      eb
        .selectFrom('deliveries')
        .select('deliveries.next_attempt_at')
        .whereRef('deliveries.pixel_id', '=', 'pixel.id')
        .orderBy('deliveries.next_attempt_at')
        .limit(1)
        .as('due'),
    )
    .where('pixel.is_active', '=', true)
    .where((eb) =>
      eb.or([
        eb('stop.pixel_id', 'is', null),
        eb(eb.fn.coalesce('stop.tried_at', 'stop.stopped_at'), '<=', beforeProbe(now)),
      ]),
    )
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('site_state').select('site_state.id').where('tags_paused_at', 'is', null)),
    )
    .execute()
  return rows.map(({ stop, due, ...pixel }) => ({
    ...pixel,
    due: stop === null || due === null ? due : new Date(now).toISOString(),
    isProbe: stop !== null,
  }))
}

/** Makes one waiting delivery of a stopped pixel due; false where another process has just done so. */
export async function beginProbe(db: Db, pixelId: string, now: number): Promise<boolean> {
  const at = new Date(now).toISOString()
  return change(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('delivery_stops')
      .set({ tried_at: at })
      .where('pixel_id', '=', pixelId)
      .where((eb) => eb(eb.fn.coalesce('tried_at', 'stopped_at'), '<=', beforeProbe(now)))
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await trx
      .updateTable('deliveries')
      .set({ next_attempt_at: at })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('deliveries')
          .select('id')
          .where('pixel_id', '=', pixelId)
          .where('leased_until', 'is', null)
          .orderBy('created_at', 'desc')
          .limit(1),
      )
      .execute()
    return true
  })
}

function beforeProbe(now: number): string {
  return new Date(now - PROBE_MS).toISOString()
}

export interface TargetDeps {
  db: Db
  secrets: Secrets
  siteUrl: string
  graphVersion: string
}

/** Null when the pixel cannot be sent for: no destination, deleted, or without its address or secret. */
export async function readTarget(
  { db, secrets, siteUrl, graphVersion }: TargetDeps,
  pixelId: string,
): Promise<Target | null> {
  const pixel = await readRow(db, pixelId)
  const destination = pixel === undefined ? null : destinationOf(pixel)
  if (pixel === undefined || destination === null) return null
  if (destination.form.url !== undefined && pixel.webhook_url === null) return null
  return {
    destination,
    account: pixel.pixel_id ?? '',
    secret: await secrets.open({ table: 'pixel_secrets', column: 'value', row: pixelId }, pixel.value),
    url: pixel.webhook_url,
    sendsEmail: pixel.send_hashed_email,
    siteUrl,
    graphVersion,
  }
}

/** The same of what a form holds, by the rules of a save; null when it could not be sent for. */
export async function readDraftTarget(
  deps: TargetDeps,
  { id, type, destination: named = null, pixel_id, access_token, webhook_url = null }: DeliveryDraftInput,
): Promise<Target | null> {
  const destination = destinationOf({ type, destination: named })
  if (destination === null) return null
  const { form } = destination
  const account = pixel_id?.trim() ?? ''
  if (form.account !== undefined && !isAccepted(form.account, account)) return null
  if (form.url !== undefined && (webhook_url === null || !isAccepted(form.url, webhook_url))) return null
  const secret = access_token?.trim() || (await readSecret(deps, id, destination))
  if (secret === null || !isAccepted(form.secret, secret)) return null
  const { siteUrl, graphVersion } = deps
  return { destination, account, secret, url: webhook_url, sendsEmail: false, siteUrl, graphVersion }
}

/** The secret belongs to the destination for which it was stored. */
async function readSecret(
  { db, secrets }: TargetDeps,
  pixelId: string | undefined,
  destination: Destination,
): Promise<string | null> {
  const pixel = pixelId === undefined ? undefined : await readRow(db, pixelId)
  if (pixelId === undefined || pixel === undefined || destinationOf(pixel) !== destination) return null
  return secrets.open({ table: 'pixel_secrets', column: 'value', row: pixelId }, pixel.value)
}

function readRow(db: Db, pixelId: string) {
  return db
    .selectFrom('tracking_pixels as pixel')
    .innerJoin('pixel_secrets as secret', 'secret.pixel_id', 'pixel.id')
    .select([
      'pixel.type',
      'pixel.destination',
      'pixel.pixel_id',
      'pixel.webhook_url',
      'pixel.send_hashed_email',
      'secret.value',
    ])
    .where('pixel.id', '=', pixelId)
    .where('pixel.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Whether this visitor's page also posts conversions as events, so that a tag's report of one is a duplicate. */
export async function isSentByServer(
  pixels: ServerPixelList,
  cookieHeader: string | undefined,
): Promise<boolean> {
  const choice = readChoice(cookieHeader)
  if (choice === null) return false
  const { all } = await pixels.current()
  return all.some(({ category }) => choice.granted.includes(category))
}

/** A pixel whose events the server sends. */
export interface ServerPixel {
  id: string
  destination: Destination
  category: OptionalCategory
  way: Exclude<PixelDelivery, 'browser'>
  sendsEmail: boolean
}

export interface ServerPixels {
  all: readonly ServerPixel[]
  /** Types of the pixels that run in the page, as far as a destination asks for them. */
  typesOnPage: ReadonlySet<PixelType>
}

const NONE: ServerPixels = { all: [], typesOnPage: new Set() }

/** A change of a pixel is seen by every process within this. */
const FRESH_MS = 1_000

/** The pixels that the server sends for, read from the database at most once a second. */
export class ServerPixelList {
  readonly #db: Db
  #known = NONE
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<ServerPixels> | null = null

  constructor(db: Db) {
    this.#db = db
  }

  async current(): Promise<ServerPixels> {
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

  async #read(): Promise<ServerPixels> {
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
          'pixel.destination',
          'pixel.delivery',
          'pixel.consent_category',
          'pixel.send_hashed_email',
        ])
        .where('pixel.is_active', '=', true)
        .where('pixel.delivery', '<>', 'browser')
        .execute(),
    ])
    const all = site.tags_paused_at === null ? pixels.flatMap(toServerPixel) : []
    const asked = new Set(all.flatMap(({ destination }) => destination.cookiesReadBy))
    this.#known = { all, typesOnPage: new Set(await this.#readTypesOnPage([...asked])) }
    this.#readAt = at
    return this.#known
  }

  async #readTypesOnPage(asked: readonly PixelType[]): Promise<PixelType[]> {
    if (asked.length === 0) return []
    const rows = await this.#db
      .selectFrom('tracking_pixels')
      .select('type')
      .distinct()
      .where('is_active', '=', true)
      .where('delivery', '<>', 'server')
      .where('type', 'in', asked)
      .execute()
    return rows.map(({ type }) => type)
  }
}

type StoredPixel = Pick<
  PixelRow,
  'id' | 'type' | 'destination' | 'delivery' | 'consent_category' | 'send_hashed_email'
>

function toServerPixel(pixel: StoredPixel): ServerPixel[] {
  const destination = destinationOf(pixel)
  if (destination === null || pixel.delivery === 'browser') return []
  return [
    {
      id: pixel.id,
      destination,
      category: pixel.consent_category,
      way: pixel.delivery,
      sendsEmail: pixel.send_hashed_email && destination.carries.includes('email'),
    },
  ]
}
