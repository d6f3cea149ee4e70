import * as z from 'zod/mini'
import { CONVERSION_NAMES, CONVERSIONS } from './conversions.ts'

/** What the page posts to our server for the vendors: a page view or a conversion. */
export const SERVER_EVENTS = ['page_view', ...CONVERSIONS] as const
export type ServerEventName = (typeof SERVER_EVENTS)[number]

export const SERVER_EVENT_LABELS: Record<ServerEventName, string> = {
  page_view: 'Visualização de página',
  ...CONVERSION_NAMES,
}

/** An outcome in the queue of events: `outcome:primeira_venda`. */
export type OutcomeEvent = `outcome:${string}`

/** What the server sends to vendors. */
export type SentEvent = ServerEventName | OutcomeEvent

const OUTCOME_PREFIX = 'outcome:'

export function toOutcomeEvent(name: string): OutcomeEvent {
  return `${OUTCOME_PREFIX}${name}`
}

/** The name of an outcome; null for an event of the page. */
export function outcomeOf(event: string): string | null {
  return event.startsWith(OUTCOME_PREFIX) ? event.slice(OUTCOME_PREFIX.length) : null
}

/** An outcome has the label that its administrator gave it. */
export function labelOfEvent(event: SentEvent, outcomeLabel: string | null): string {
  return SERVER_EVENT_LABELS[event as ServerEventName] ?? outcomeLabel ?? outcomeOf(event) ?? event
}

/**
 * Body of `POST /api/events`, answered with 204. `id` is the `event_id` that the browser's event has too; events that
 * only the server sends need none. Consent is read from the cookie, never from here.
 */
export const serverEventSchema = z.strictObject({
  id: z.optional(z.uuid()),
  name: z.enum(SERVER_EVENTS),
  /** The page's address, whole or from the root. Only path and campaign parameters are read. */
  path: z.string(),
  title: z.optional(z.string()),
})
export type ServerEvent = z.infer<typeof serverEventSchema>
