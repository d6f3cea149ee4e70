import crypto, { randomUUID } from 'node:crypto'
import type { ServerEvent } from '#contract/server-event.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import type { EventPayload } from '#server/db/delivery-schema.ts'
import type { Destination } from './destinations.ts'
import { type EventRow, type EventWriter, insertEvents } from './event-writer.ts'
import { takeSignUp } from './remember-sign-up.ts'

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
export async function storeEvent(
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
