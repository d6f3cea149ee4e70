import * as z from 'zod/mini'
import { CONVERSION_NAMES, CONVERSIONS } from './conversion.ts'

/** What the page tells our server, which tells the vendors: the page itself was seen, or a conversion happened. */
export const SERVER_EVENTS = ['page_view', ...CONVERSIONS] as const
export type ServerEventName = (typeof SERVER_EVENTS)[number]

export const SERVER_EVENT_LABELS: Record<ServerEventName, string> = {
  page_view: 'Página vista',
  ...CONVERSION_NAMES,
}

export const EVENTS_PATH = '/api/events'

/** What an address may bring along; nothing else of it is passed on. */
export const CAMPAIGN_PARAMETERS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'utm_id',
  'fbclid',
] as const
export type CampaignParameter = (typeof CAMPAIGN_PARAMETERS)[number]

const shortText = z.string().check(z.minLength(1), z.maxLength(300))

/**
 * Body of `POST /api/events`, answered with 204. `id` is the `event_id` that the browser's own copy carries too. What the
 * visitor agreed to is read from their cookie and never from here.
 */
export const serverEventSchema = z.strictObject({
  id: z.uuid(),
  name: z.enum(SERVER_EVENTS),
  path: z.string().check(z.regex(/^\/[A-Za-z0-9/._~-]{0,200}$/)),
  title: z.optional(shortText),
  campaign: z.optional(z.partialRecord(z.enum(CAMPAIGN_PARAMETERS), shortText)),
  /** Of a subscription: passed on as a hash, and only for pixels that have `send_hashed_email`. */
  email: z.optional(z.string().check(z.maxLength(254))),
})
export type ServerEvent = z.infer<typeof serverEventSchema>
