import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { DAY_MS } from '#contract/durations.ts'
import type { Deliveries } from '#server/db/schema/outbox.ts'

/** A row of `deliveries`: a conversion of the pixel, created and due at `at`. */
export function queuedEvent(
  pixel_id: string,
  at: string,
  values: Partial<Insertable<Deliveries>> = {},
): Insertable<Deliveries> {
  return {
    id: randomUUID(),
    pixel_id,
    kind: 'meta',
    event_id: randomUUID(),
    event: 'lead',
    consent_id: randomUUID(),
    category: 'marketing',
    payload: '{}',
    created_at: at,
    expires_at: new Date(Date.parse(at) + DAY_MS).toISOString(),
    next_attempt_at: at,
    ...values,
  }
}
