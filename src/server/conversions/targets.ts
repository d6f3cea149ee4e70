import type { OptionalCategory } from '#contract/consent.ts'
import type { DeliveryDraftInput } from '#contract/conversions.ts'
import { isAccessToken, type PixelDelivery, type PixelType, SERVER_ID_PATTERNS } from '#contract/pixel.ts'
import { publicHostOf } from '#contract/public-host.ts'
import { readChoice } from '../consent/choice.ts'
import type { Db } from '../db/database.ts'
import type { PixelKind } from '../db/schema/outbox.ts'
import { change } from '../db/transactions/change.ts'
import type { SecretPort } from '../secrets/secrets.ts'
import type { Target } from './destinations/destination.ts'

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
  secrets: SecretPort
  siteUrl: string
  graphVersion: string
}

export const PIXEL_KINDS: Partial<Record<PixelType, PixelKind>> = {
  meta: 'meta',
  google_analytics: 'google_analytics',
  custom: 'webhook',
}

/** Null when the pixel cannot be sent for: none of its kind, deleted, or without its secret. */
export async function readTarget(
  { db, secrets, siteUrl, graphVersion }: TargetDeps,
  pixelId: string,
): Promise<Target | null> {
  const pixel = await readRow(db, pixelId)
  const kind = pixel === undefined ? undefined : PIXEL_KINDS[pixel.type]
  if (pixel === undefined || kind === undefined) return null
  if (kind === 'webhook' && pixel.webhook_url === null) return null
  return {
    kind,
    account: pixel.pixel_id ?? '',
    secret: await secrets.open({ table: 'pixel_secrets', column: 'value', row: pixelId }, pixel.value),
    webhookUrl: pixel.webhook_url,
    sendsEmail: pixel.send_hashed_email,
    siteUrl,
    graphVersion,
  }
}

/** The same of what a form holds, by the rules of a save; null when it could not be sent for. */
export async function readDraftTarget(
  deps: TargetDeps,
  { id, type, pixel_id, access_token, webhook_url = null }: DeliveryDraftInput,
): Promise<Target | null> {
  const kind = PIXEL_KINDS[type]
  if (kind === undefined) return null
  const account = pixel_id?.trim() ?? ''
  if (SERVER_ID_PATTERNS[type]?.test(account) === false) return null
  if (kind === 'webhook' && (webhook_url === null || publicHostOf(webhook_url) === null)) return null
  const secret = access_token?.trim() || (await readSecret(deps, id, type))
  if (secret === null || !isAccessToken(type, secret)) return null
  const { siteUrl, graphVersion } = deps
  return { kind, account, secret, webhookUrl: webhook_url, sendsEmail: false, siteUrl, graphVersion }
}

/** The secret is the vendor's for which it was stored. */
async function readSecret(
  { db, secrets }: TargetDeps,
  pixelId: string | undefined,
  type: PixelType,
): Promise<string | null> {
  const pixel = pixelId === undefined ? undefined : await readRow(db, pixelId)
  if (pixelId === undefined || pixel?.type !== type) return null
  return secrets.open({ table: 'pixel_secrets', column: 'value', row: pixelId }, pixel.value)
}

function readRow(db: Db, pixelId: string) {
  return db
    .selectFrom('tracking_pixels as pixel')
    .innerJoin('pixel_secrets as secret', 'secret.pixel_id', 'pixel.id')
    .select(['pixel.type', 'pixel.pixel_id', 'pixel.webhook_url', 'pixel.send_hashed_email', 'secret.value'])
    .where('pixel.id', '=', pixelId)
    .where('pixel.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Whether the page of this visitor tells us of conversions as events, so that a report of the same is a second word of it. */
export async function isToldByEvent(
  destinations: DestinationList,
  cookieHeader: string | undefined,
): Promise<boolean> {
  const choice = readChoice(cookieHeader)
  if (choice === null) return false
  const { all } = await destinations.current()
  return all.some(({ category }) => choice.granted.includes(category))
}

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
