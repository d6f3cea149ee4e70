import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  CAMPAIGN_MAX_LENGTH,
  CAMPAIGN_PARAMETERS,
  type ServerEvent,
  type ServerEventName,
  serverEventSchema,
} from '#contract/server-event.ts'
import { EVENTS_PATH } from '#contract/tag-report.ts'
import type { Db } from '../db/database.ts'
import type { EventPayload } from '../db/delivery-schema.ts'
import { AppError } from '../http/app-error.ts'
import { clientAddress } from '../http/client-address.ts'
import { guardPublicPost, type PublicGuard, storeWithin } from '../http/guard-public-post.ts'
import { isPublicAddress } from '../http/is-public-address.ts'
import { sweepRegularly } from '../http/sweep-regularly.ts'
import type { Destination, DestinationList, Destinations } from './destinations.ts'
import { EventWriter } from './event-writer.ts'
import { allowsEmail, readChoice } from './read-choice.ts'
import { sweepSignUps } from './remember-sign-up.ts'
import { storeEvent } from './store-event.ts'
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
