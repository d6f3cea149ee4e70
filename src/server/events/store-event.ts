import { createHash, randomUUID } from 'node:crypto'
import type { ServerEvent } from '#contract/server-event.ts'
import type { EventPayload } from '#server/db/delivery-schema.ts'
import type { Destination } from './destinations.ts'
import type { EventWriter } from './event-writer.ts'

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
}

/** One row for each destination, durable when it resolves. The same event again changes nothing. */
export function storeEvent(
  writer: EventWriter,
  destinations: readonly Destination[],
  { event, consentId, payload }: StoredEvent,
): Promise<void> {
  const at = new Date(payload.at).toISOString()
  const eventId = event.id ?? randomUUID()
  return writer.insert(
    destinations.map((destination) => ({
      id: randomUUID(),
      kind: destination.kind,
      pixel_id: destination.id,
      event_id: eventId,
      event: event.name,
      consent_id: consentId,
      category: destination.category,
      payload: JSON.stringify(payloadFor(destination, event, payload)),
      next_attempt_at: at,
      created_at: at,
      expires_at: new Date(payload.at + windowOf(destination)).toISOString(),
    })),
  )
}

/** What this destination is told, and nothing that only another one is. */
function payloadFor({ kind, sendsEmail }: Destination, event: ServerEvent, all: EventPayload): EventPayload {
  const { fbp, fbc, client, session, engagementMs, ...shared } = all
  if (kind === 'google_analytics') return { ...shared, client, session, engagementMs } as EventPayload
  if (kind === 'webhook') return { ...shared, address: null, agent: null }
  const email = sendsEmail && event.name === 'sign_up' ? hashEmail(event.email) : null
  return { ...shared, fbp, fbc, ...(email === null ? {} : { email }) } as EventPayload
}

/** As Meta wants it: trimmed and in lower case; dots and what follows a plus belong to it. Null for what has accents. */
export function hashEmail(email: string | undefined): string | null {
  const normal = email?.trim().toLowerCase() ?? ''
  if (!/^[\x21-\x7e]+@[\x21-\x7e]+$/.test(normal)) return null
  return createHash('sha256').update(normal).digest('hex')
}
