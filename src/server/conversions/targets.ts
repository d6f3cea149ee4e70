import type { OptionalCategory } from '#contract/consent.ts'
import type { DeliveryDraftInput } from '#contract/conversions.ts'
import { HOUR_MS } from '#contract/durations.ts'
import type { PixelDelivery, PixelType } from '#contract/pixel.ts'
import type { PixelRow } from '#contract/pixel-columns.ts'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import type { Secrets } from '../secrets/secrets.ts'
import {
  type ApiOverrides,
  apiOf,
  areEventIds,
  type Destination,
  type EventIds,
  isAccepted,
  type Target,
} from './destinations/destination.ts'
import { destinationOf } from './destinations/destinations.ts'
import { type OutcomeTargets, readOutcomeTargets } from './outcome-deliveries.ts'

/** How often a stopped pixel tries one job, so that a fixed account resumes by itself. */
const PROBE_MS = HOUR_MS

export interface SendingPixel {
  id: string
  name: string
  /** When its next job is due; null if none waits. */
  due: string | null
  /** The pixel is stopped, and one job may be tried. */
  isProbe: boolean
}

/**
 * Pixels with jobs that may be sent: on, not paused, with a secret, and either not stopped or stopped long enough to
 * try again. Every process looks once a second: it steps from pixel to pixel in the index of jobs, so that neither
 * other pixels nor long queues cost anything.
 */
export async function listSending(db: Db, now: number): Promise<SendingPixel[]> {
  const rows = await db
    .withRecursive('waiting(pixel_id)', (cte) =>
      cte
        .selectFrom((first) =>
          first
            .selectFrom('deliveries')
            .select('pixel_id')
            .where('pixel_id', 'is not', null)
            .orderBy('pixel_id')
            .limit(1)
            .as('first'),
        )
        .select('pixel_id')
        .unionAll(
          cte
            .selectFrom('waiting')
            .select((eb) =>
              eb
                .selectFrom('deliveries')
                .select('deliveries.pixel_id')
                .whereRef('deliveries.pixel_id', '>', 'waiting.pixel_id')
                .orderBy('deliveries.pixel_id')
                .limit(1)
                .as('pixel_id'),
            )
            .where('waiting.pixel_id', 'is not', null),
        ),
    )
    .selectFrom('waiting')
    .innerJoin('tracking_pixels as pixel', 'pixel.id', 'waiting.pixel_id')
    .innerJoin('pixel_secrets as secret', 'secret.pixel_id', 'pixel.id')
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

/** Makes one job of a stopped pixel due; false if another process has just done so. */
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
  /** Hosts and versions of vendors' APIs that the configuration replaces. */
  apis: ApiOverrides
}

/** Null if the server cannot send for the pixel: no destination, deleted, or no address or secret. */
export async function readTarget(
  { db, secrets, siteUrl, apis }: TargetDeps,
  pixelId: string,
): Promise<Target | null> {
  const pixel = await readRow(db, pixelId)
  const destination = pixel === undefined ? null : destinationOf(pixel)
  if (pixel === undefined || destination === null) return null
  if (destination.form.url !== undefined && pixel.webhook_url === null) return null
  return {
    destination,
    account: pixel.pixel_id ?? pixel.destination_account ?? '',
    secret: await secrets.decrypt({ table: 'pixel_secrets', column: 'value', row: pixelId }, pixel.value),
    url: pixel.webhook_url,
    sendsEmail: pixel.send_hashed_email,
    siteUrl,
    api: apiOf(destination, apis),
    eventIds: pixel.event_ids ?? {},
  }
}

/** The same for an unsaved form, by the rules of a save; null if it could not be sent. */
export async function readDraftTarget(deps: TargetDeps, draft: DeliveryDraftInput): Promise<Target | null> {
  const { id, type, webhook_url = null, event_ids } = draft
  const destination = destinationOf({ type, destination: draft.destination ?? null })
  if (destination === null) return null
  const { form } = destination
  const account = (draft.pixel_id ?? draft.destination_account)?.trim() ?? ''
  if (form.account !== undefined && !isAccepted(form.account, account)) return null
  if (form.url !== undefined && (webhook_url === null || !isAccepted(form.url, webhook_url))) return null
  const eventIds = event_ids ?? {}
  if (form.eventId !== undefined && !areEventIds(form.eventId, eventIds)) return null
  const secret = draft.access_token?.trim() || (await readSecret(deps, id, destination))
  if (secret === null || !isAccepted(form.secret, secret)) return null
  const { siteUrl, apis } = deps
  return {
    destination,
    account,
    secret,
    url: webhook_url,
    sendsEmail: false,
    siteUrl,
    api: apiOf(destination, apis),
    eventIds,
  }
}

/** The secret belongs to the destination for which it was stored. */
async function readSecret(
  { db, secrets }: TargetDeps,
  pixelId: string | undefined,
  destination: Destination,
): Promise<string | null> {
  const pixel = pixelId === undefined ? undefined : await readRow(db, pixelId)
  if (pixelId === undefined || pixel === undefined || destinationOf(pixel) !== destination) return null
  return secrets.decrypt({ table: 'pixel_secrets', column: 'value', row: pixelId }, pixel.value)
}

function readRow(db: Db, pixelId: string) {
  return db
    .selectFrom('tracking_pixels as pixel')
    .innerJoin('pixel_secrets as secret', 'secret.pixel_id', 'pixel.id')
    .select([
      'pixel.type',
      'pixel.destination',
      'pixel.pixel_id',
      'pixel.destination_account',
      'pixel.event_ids',
      'pixel.webhook_url',
      'pixel.send_hashed_email',
      'secret.value',
    ])
    .where('pixel.id', '=', pixelId)
    .where('pixel.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** A pixel whose events the server sends. */
export interface ServerPixel {
  id: string
  destination: Destination
  category: OptionalCategory
  way: Exclude<PixelDelivery, 'browser'>
  sendsEmail: boolean
  eventIds: EventIds
  outcomes: OutcomeTargets
}

export interface ServerPixels {
  all: readonly ServerPixel[]
  /** Types of the pixels that run in the page, as far as destinations need them. */
  typesOnPage: ReadonlySet<PixelType>
}

const NONE: ServerPixels = { all: [], typesOnPage: new Set() }

/** How soon every process sees a changed pixel. */
const FRESH_MS = 1_000

/** The pixels that the server sends for, read at most once a second. */
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

  /** Call it when this process changed a pixel. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }

  async #read(): Promise<ServerPixels> {
    const at = performance.now()
    const [site, outcomes, pixels] = await Promise.all([
      this.#db.selectFrom('site_state').select('tags_paused_at').executeTakeFirstOrThrow(),
      readOutcomeTargets(this.#db),
      // Starts from the secrets: few of ten thousand pixels have one.
      this.#db
        .selectFrom('pixel_secrets as secret')
        .innerJoin('tracking_pixels as pixel', 'pixel.id', 'secret.pixel_id')
        .select([
          'pixel.id',
          'pixel.type',
          'pixel.destination',
          'pixel.delivery',
          'pixel.consent_category',
          'pixel.event_ids',
          'pixel.send_hashed_email',
        ])
        .where('pixel.is_active', '=', true)
        .where('pixel.delivery', '<>', 'browser')
        .execute(),
    ])
    const all = site.tags_paused_at === null ? pixels.flatMap((pixel) => toServerPixel(pixel, outcomes)) : []
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
  'id' | 'type' | 'destination' | 'delivery' | 'consent_category' | 'event_ids' | 'send_hashed_email'
>

function toServerPixel(pixel: StoredPixel, outcomes: ReadonlyMap<string, OutcomeTargets>): ServerPixel[] {
  const destination = destinationOf(pixel)
  if (destination === null || pixel.delivery === 'browser') return []
  return [
    {
      id: pixel.id,
      destination,
      category: pixel.consent_category,
      way: pixel.delivery,
      sendsEmail: pixel.send_hashed_email && destination.email !== undefined,
      eventIds: pixel.event_ids ?? {},
      outcomes: outcomes.get(pixel.id) ?? new Map(),
    },
  ]
}
