import * as z from 'zod/mini'
import { CONVERSION_NAMES, CONVERSIONS } from './conversions.ts'

/** What the page tells our server, which tells the vendors: the page itself was seen, or a conversion happened. */
export const SERVER_EVENTS = ['page_view', ...CONVERSIONS] as const
export type ServerEventName = (typeof SERVER_EVENTS)[number]

export const SERVER_EVENT_LABELS: Record<ServerEventName, string> = {
  page_view: 'Página vista',
  ...CONVERSION_NAMES,
}

/** What an address may bring along; nothing else of it is kept or passed on. */
export const CAMPAIGN_PARAMETERS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'utm_id',
] as const
export const CAMPAIGN_MAX_LENGTH = 300

/**
 * Body of `POST /api/events`, answered with 204. `id` is the `event_id` that the browser's own copy
 * carries too; what the browser does not tell needs none. What the
 * visitor agreed to is read from their cookie and never from here.
 */
export const serverEventSchema = z.strictObject({
  id: z.optional(z.uuid()),
  name: z.enum(SERVER_EVENTS),
  /** Of the page, as it is or from the root on. Its path and the parameters of a campaign are read, and nothing else. */
  path: z.string(),
  title: z.optional(z.string()),
})
export type ServerEvent = z.infer<typeof serverEventSchema>
