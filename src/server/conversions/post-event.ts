import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CAMPAIGN_MAX_LENGTH, CAMPAIGN_PARAMETERS, type ClickId, readCampaign } from '#contract/campaign.ts'
import type { ConsentChoice } from '#contract/consent-choice.ts'
import { type ServerEvent, serverEventSchema } from '#contract/server-event.ts'
import { EVENTS_PATH } from '#contract/tag-report.ts'
import { readChoice } from '../consent/choice.ts'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import { AppError } from '../http/errors.ts'
import { BODY_BYTES } from '../http/limits/limits.ts'
import { guardPublicPost, type PublicGuard, storeWithin } from '../http/limits/public.ts'
import { clientAddress, isPublicAddress } from '../http/sockets/addresses.ts'
import { type EventRow, EventWriter, insertEvents, makeRowId } from '../outbox/enqueue.ts'
import { CLICK_ID, type Destination, type EventPayload, takesEvent } from './destinations/destination.ts'
import { type EmailHashes, maySendEmail, takeSignUp } from './sign-up-email.ts'
import type { ServerPixel, ServerPixelList, ServerPixels } from './targets.ts'
import { type CookieContext, identifyVisitor } from './visitor-cookies.ts'

const MAX_AGENT_LENGTH = 500

const MAX_TITLE_LENGTH = 300

/** Matches all paths of our pages; email addresses and names do not fit. */
const PATH = /^\/[A-Za-z0-9/._~-]{0,200}$/

export interface EventDeps {
  db: Db
  guard: PublicGuard
  siteUrl: string
  pixels: ServerPixelList
  /** Called when an event is stored. */
  onStored: () => void
}

/** `POST /api/events`. Consent is read from the visitor's cookie; without it nothing is stored or set. */
export function registerEvents(app: FastifyInstance, deps: EventDeps): void {
  const { db, guard, pixels, siteUrl, onStored } = deps
  const writer = new EventWriter(db)
  const { hostname: host, protocol } = new URL(siteUrl)
  const isSecure = protocol === 'https:'

  app.post(EVENTS_PATH, { bodyLimit: BODY_BYTES.event }, async (request, reply) => {
    guardPublicPost(guard, request, 'event')
    const parsed = serverEventSchema.safeParse(request.body)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Not an event')
    const event = parsed.data
    const page = URL.parse(event.path, siteUrl)
    if (page === null || !PATH.test(page.pathname))
      throw new AppError(400, 'bad_request', 'Not a page of ours')
    reply.code(204).header('cache-control', 'no-store')
    const choice = readChoice(request.headers.cookie)
    if (choice === null) return reply.send()
    const known = await pixels.current()
    const granted = known.all.filter(
      // The browser's snippet gives page views no ID for merging duplicates, so only the browser sends them.
      ({ category, way, destination, eventIds }) =>
        choice.granted.includes(category) &&
        !(way === 'both' && event.name === 'page_view') &&
        takesEvent(destination, eventIds, event.name),
    )
    if (granted.length === 0) return reply.send()
    const context = { header: request.headers.cookie, host, isSecure, now: Date.now() }
    const parameters = readCampaign(page.search)
    const campaign = cutCampaign(parameters)
    const { values, cookies: ownCookies } = identifyVisitor(context)
    const identified = identify(context, parameters, granted, known)
    const stored: StoredEvent = {
      event,
      choice,
      ids: identified.ids,
      visit: {
        at: context.now,
        path: page.pathname,
        ...(Object.keys(campaign).length === 0 ? {} : { campaign }),
        ...(event.title ? { title: event.title.slice(0, MAX_TITLE_LENGTH) } : {}),
        ...describeVisitor(request),
        marketing: choice.granted.includes('marketing'),
        ...values,
      },
    }
    await storeWithin(guard, request, 'event', () => storeEvent({ db, writer }, granted, stored))
    onStored()
    return reply.header('set-cookie', [...ownCookies, ...identified.cookies]).send()
  })
}

type Parameters = ReturnType<typeof readCampaign>

type Ids = Readonly<Record<string, string | number>>

/** The IDs of each destination, once for all its pixels. */
function identify(
  context: CookieContext,
  parameters: Parameters,
  granted: readonly ServerPixel[],
  { typesOnPage }: ServerPixels,
): { ids: ReadonlyMap<Destination, Ids>; cookies: string[] } {
  const ids = new Map<Destination, Ids>()
  const cookies: string[] = []
  for (const destination of new Set(granted.map((pixel) => pixel.destination))) {
    const identity = destination.identify?.({
      ...context,
      clickIds: readClickIds(parameters, destination.clickIds),
      scriptOnPage: destination.cookiesReadBy.some((type) => typesOnPage.has(type)),
    })
    if (identity === undefined) continue
    ids.set(destination, identity.values)
    cookies.push(...identity.cookies)
  }
  return { ids, cookies }
}

/** Long values are cut. */
function cutCampaign(parameters: Parameters): Record<string, string> {
  return Object.fromEntries(
    CAMPAIGN_PARAMETERS.flatMap((name) => {
      const value = parameters.get(name)?.slice(0, CAMPAIGN_MAX_LENGTH)
      return value ? [[name, value]] : []
    }),
  )
}

/** A cut ID would be another one: what does not fit is dropped. */
function readClickIds(parameters: Parameters, names: readonly ClickId[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = parameters.get(name) ?? ''
      return CLICK_ID.test(value) ? [[name, value]] : []
    }),
  )
}

/** What vendors may get of a visitor: an address of a proxy or a private network would be nobody's. */
export function describeVisitor(request: FastifyRequest): Pick<EventPayload, 'address' | 'agent'> {
  const address = clientAddress(request)
  return {
    address: isPublicAddress(address) ? address : null,
    agent: request.headers['user-agent']?.slice(0, MAX_AGENT_LENGTH) || null,
  }
}

interface StoredEvent {
  event: ServerEvent
  choice: ConsentChoice
  visit: EventPayload
  ids: ReadonlyMap<Destination, Ids>
}

/** Stores one row per destination. Storing the same event again changes nothing. */
async function storeEvent(
  { db, writer }: { db: Db; writer: EventWriter },
  pixels: readonly ServerPixel[],
  stored: StoredEvent,
): Promise<void> {
  const { event, choice, visit } = stored
  const carriesEmail =
    event.name === 'sign_up' && pixels.some((pixel) => maySendEmail(pixel, choice, 'subscriber'))
  if (!carriesEmail) return writer.insert(rowsOf(pixels, stored, null))
  await change(db, async (trx) => {
    const hashes = await takeSignUp(trx, choice.id, visit.at)
    await insertEvents(trx, rowsOf(pixels, stored, hashes))
  })
}

function rowsOf(
  pixels: readonly ServerPixel[],
  { event, choice, visit, ids }: StoredEvent,
  hashes: EmailHashes | null,
): EventRow[] {
  const at = new Date(visit.at).toISOString()
  const eventId = event.id ?? randomUUID()
  return pixels.flatMap((pixel) => {
    const { id, destination, category, way } = pixel
    const kind = maySendEmail(pixel, choice, 'subscriber') ? destination.email?.hash : undefined
    const email = kind === undefined ? null : (hashes?.[kind] ?? null)
    const payload = payloadFor(destination, visit, ids.get(destination), email)
    if (destination.isUseful?.(payload) === false) return []
    return {
      id: makeRowId(),
      kind: destination.id,
      pixel_id: id,
      event_id: eventId,
      event: event.name,
      consent_id: choice.id,
      category,
      payload: JSON.stringify(payload),
      email_hash: email,
      next_attempt_at: at,
      created_at: at,
      expires_at: new Date(visit.at + destination.windowMs(way)).toISOString(),
    }
  })
}

/** The payload for one destination, without IDs of others. */
function payloadFor(
  { carries }: Destination,
  visit: EventPayload,
  ids: Ids | undefined,
  email: string | null,
): EventPayload {
  return {
    ...visit,
    address: carries.includes('address') ? visit.address : null,
    agent: carries.includes('agent') ? visit.agent : null,
    ...ids,
    ...(email === null ? {} : { email }),
  }
}
