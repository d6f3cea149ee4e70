import crypto, { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  CAMPAIGN_MAX_LENGTH,
  CAMPAIGN_PARAMETERS,
  type ServerEvent,
  type ServerEventName,
  serverEventSchema,
} from '#contract/server-event.ts'
import { EVENTS_PATH } from '#contract/tag-report.ts'
import { allowsEmail, readChoice } from '../consent/choice.ts'
import type { Db } from '../db/database.ts'
import type { EventPayload } from '../db/schema/outbox.ts'
import { sweepRegularly } from '../db/sweep.ts'
import { change } from '../db/transactions/change.ts'
import { AppError } from '../http/errors.ts'
import { guardPublicPost, type PublicGuard, storeWithin } from '../http/limits/public.ts'
import { clientAddress, isPublicAddress } from '../http/sockets/addresses.ts'
import { type EventRow, EventWriter, insertEvents } from '../outbox/enqueue.ts'
import { sweepSignUps, takeSignUp } from './sign-up-email.ts'
import type { Destination, DestinationList, Destinations } from './targets.ts'
import { identifyForAnalytics, identifyForMeta, identifyVisitor } from './visitor-cookies.ts'

const BODY_LIMIT_BYTES = 8_192

const MAX_AGENT_LENGTH = 500

const MAX_TITLE_LENGTH = 300

/** No page of ours has another; an address, a number or a name in it is none. */
const PATH = /^\/[A-Za-z0-9/._~-]{0,200}$/

export interface EventDeps {
  db: Db
  guard: PublicGuard
  siteUrl: string
  destinations: DestinationList
  /** Called when an event is durable. */
  onStored: (name: ServerEventName) => void
}

/** `POST /api/events`: what the visitor agreed to is in their own cookie; without it nothing is stored or set. */
export function registerEvents(app: FastifyInstance, deps: EventDeps): void {
  const { db, guard, destinations, siteUrl, onStored } = deps
  const writer = new EventWriter(db)
  const { hostname: host, protocol } = new URL(siteUrl)
  const isSecure = protocol === 'https:'
  sweepRegularly(app, 'addresses of subscriptions', () => sweepSignUps(db))

  app.post(EVENTS_PATH, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
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
    const known = await destinations.current()
    const granted = known.all.filter(
      ({ category, alsoInBrowser }) =>
        choice.granted.includes(category) && !(alsoInBrowser && event.name === 'page_view'),
    )
    if (granted.length === 0) return reply.send()
    const context = { header: request.headers.cookie, host, isSecure, now: Date.now() }
    const { fbclid, ...campaign } = readCampaign(page)
    const identity = identify(context, fbclid, granted, known)
    const stored = {
      event,
      consentId: choice.id,
      allowsEmail: allowsEmail(choice),
      payload: {
        at: context.now,
        path: page.pathname,
        ...(Object.keys(campaign).length === 0 ? {} : { campaign }),
        ...describeVisit(event, request),
        marketing: choice.granted.includes('marketing'),
        ...identity.values,
      },
    }
    await storeWithin(guard, request, 'event', () => storeEvent({ db, writer }, granted, stored))
    onStored(event.name)
    return reply.header('set-cookie', identity.cookies).send()
  })
}

type Context = Parameters<typeof identifyVisitor>[0]

function identify(
  context: Context,
  clickId: string | undefined,
  granted: readonly Destination[],
  { metaInBrowser }: Destinations,
) {
  const has = (kind: Destination['kind']) => granted.some((destination) => destination.kind === kind)
  const parts = [
    identifyVisitor(context),
    ...(has('meta') ? [identifyForMeta(context, { clickId, readByScript: metaInBrowser })] : []),
    ...(has('google_analytics') ? [identifyForAnalytics(context)] : []),
  ]
  return {
    values: Object.assign({}, ...parts.map(({ values }) => values)) as Pick<
      EventPayload,
      'visitor' | 'fbp' | 'fbc' | 'client' | 'session' | 'engagementMs'
    >,
    cookies: parts.flatMap(({ cookies }) => cookies),
  }
}

/** Of the page's query, the parameters of a campaign; too long a value is cut. */
function readCampaign({ search, searchParams: parameters }: URL): Record<string, string> {
  if (search === '') return {}
  return Object.fromEntries(
    CAMPAIGN_PARAMETERS.flatMap((name) => {
      const value = parameters.get(name)?.slice(0, CAMPAIGN_MAX_LENGTH)
      return value ? [[name, value]] : []
    }),
  )
}

function describeVisit(
  { title }: ServerEvent,
  request: FastifyRequest,
): Pick<EventPayload, 'title' | 'address' | 'agent'> {
  const address = clientAddress(request)
  return {
    ...(title ? { title: title.slice(0, MAX_TITLE_LENGTH) } : {}),
    address: isPublicAddress(address) ? address : null,
    agent: request.headers['user-agent']?.slice(0, MAX_AGENT_LENGTH) ?? null,
  }
}

const HOUR_MS = 3_600_000

const DAY_MS = 24 * HOUR_MS

/**
 * How long a vendor takes an event. Meta drops what is older than seven days, and merges with the browser's copy what
 * comes within two; Google moves the time of what is older than three; a webhook gets as long as the newsletter's.
 */
function windowOf({ kind, alsoInBrowser }: Destination): number {
  if (kind === 'google_analytics') return 71 * HOUR_MS
  return kind === 'meta' && alsoInBrowser ? 2 * DAY_MS : 7 * DAY_MS - HOUR_MS
}

interface StoredEvent {
  event: ServerEvent
  consentId: string
  payload: EventPayload
  /** The visitor was told that the address of a subscription is passed on, and agreed. */
  allowsEmail: boolean
}

/** One row for each destination, durable when it resolves. The same event again changes nothing. */
async function storeEvent(
  { db, writer }: { db: Db; writer: EventWriter },
  destinations: readonly Destination[],
  stored: StoredEvent,
): Promise<void> {
  const carriesEmail =
    stored.allowsEmail && stored.event.name === 'sign_up' && destinations.some(({ sendsEmail }) => sendsEmail)
  if (!carriesEmail) return writer.insert(rowsOf(destinations, stored, null))
  await change(db, async (trx) => {
    const hash = await takeSignUp(trx, stored.consentId, stored.payload.at)
    await insertEvents(trx, rowsOf(destinations, stored, hash))
  })
}

/**
 * In the order of their making, so that rows that come together lie together in the key's index, and a commit writes a few
 * of its pages instead of one for each row. Node 24 has these from 24.16 on; before, any UUID will do.
 */
const makeRowId = crypto.randomUUIDv7 ?? randomUUID

function rowsOf(
  destinations: readonly Destination[],
  { event, consentId, payload }: StoredEvent,
  emailHash: string | null,
): EventRow[] {
  const at = new Date(payload.at).toISOString()
  const eventId = event.id ?? randomUUID()
  return destinations.map((destination) => ({
    id: makeRowId(),
    kind: destination.kind,
    pixel_id: destination.id,
    event_id: eventId,
    event: event.name,
    consent_id: consentId,
    category: destination.category,
    payload: JSON.stringify(payloadFor(destination, payload, emailHash)),
    email_hash: destination.sendsEmail ? emailHash : null,
    next_attempt_at: at,
    created_at: at,
    expires_at: new Date(payload.at + windowOf(destination)).toISOString(),
  }))
}

/** What this destination is told, and nothing that only another one is. */
function payloadFor(
  { kind, sendsEmail }: Destination,
  all: EventPayload,
  emailHash: string | null,
): EventPayload {
  const { fbp, fbc, client, session, engagementMs, ...shared } = all
  if (kind === 'google_analytics') return { ...shared, client, session, engagementMs } as EventPayload
  if (kind === 'webhook') return { ...shared, address: null, agent: null }
  const email = sendsEmail && emailHash !== null ? { email: emailHash } : {}
  return { ...shared, fbp, fbc, ...email } as EventPayload
}
