import { currencyDigits, toDecimal } from '#contract/currencies.ts'
import { toOutcomeEvent } from '#contract/server-event.ts'
import type { Db } from '../db/database.ts'
import { type EventRow, makeRowId } from '../outbox/enqueue.ts'
import { deriveKey } from '../secrets/tokens.ts'
import type { Count } from '../stats/counts.ts'
import type { Destination, EventPayload } from './destinations/destination.ts'
import { type EmailHashes, maySendEmail } from './sign-up-email.ts'
import type { ServerPixel } from './targets.ts'

/** By name of an outcome: the vendor's event, and whether it gets the value. */
export type OutcomeTargets = ReadonlyMap<string, { event: string; sendsValue: boolean }>

/** By pixel, the outcomes that its destination gets. */
export async function readOutcomeTargets(
  db: Db,
  pixelId?: string,
): Promise<ReadonlyMap<string, OutcomeTargets>> {
  const rows = await db
    .selectFrom('outcome_events')
    .selectAll()
    .where('event', 'is not', null)
    .$if(pixelId !== undefined, (query) => query.where('pixel_id', '=', pixelId ?? ''))
    .execute()
  return new Map(
    [...Map.groupBy(rows, ({ pixel_id }) => pixel_id)].map(([id, members]) => [
      id,
      new Map(
        members.map(({ name, event, sends_value }) => [
          name,
          { event: event ?? '', sendsValue: sends_value },
        ]),
      ),
    ]),
  )
}

/** What a consent record says. */
export interface RecordedChoice {
  textVersion: number
  granted: readonly string[]
}

/** An outcome that is tied to a visit. */
interface TiedOutcome {
  name: string
  id: string
  /** When it happened. */
  at: number
  /** In the currency's smallest unit. */
  value: { currency: string; amount: number } | null
  visit: {
    consentId: string
    at: number
    clickIds: Readonly<Record<string, string>>
    /** Known to whoever has the visit's code, and stored nowhere. */
    secret: Buffer
  }
  emailSha256: string | null
  emailSha256Google: string | null
  /** The visitor's newest choice; undefined if there is no record of one. */
  choice: RecordedChoice | undefined
}

interface PlannedDeliveries {
  rows: EventRow[]
  /** What is settled before anything is sent. */
  counts: Count[]
}

/**
 * One job for each destination that gets the outcome, or the reason why there is none. Consent is asked again when the
 * job is sent.
 */
export function planDeliveries(
  pixels: readonly ServerPixel[],
  outcome: TiedOutcome,
  now: number,
): PlannedDeliveries {
  const planned: PlannedDeliveries = { rows: [], counts: [] }
  for (const pixel of pixels) {
    const target = pixel.outcomes.get(outcome.name)
    if (target === undefined || pixel.destination.outcomes === undefined) continue
    const row = toRow(pixel, target.sendsValue, outcome, now)
    if (typeof row !== 'string') planned.rows.push(row)
    else
      planned.counts.push({
        series: 'outcome.delivery',
        subject: pixel.id,
        key: `${outcome.name} ${row} `,
        at: outcome.at,
      })
  }
  return planned
}

function toRow(
  pixel: ServerPixel,
  sendsValue: boolean,
  outcome: TiedOutcome,
  now: number,
): EventRow | 'withheld' | 'expired' | 'unmatched' {
  const { id: pixelId, destination, category } = pixel
  const { name, at, value, visit, choice } = outcome
  if (choice !== undefined && !choice.granted.includes(category)) return 'withheld'
  const expiresAt = Math.min(
    at + (destination.outcomes?.oldestMs ?? destination.windowMs('server')),
    now + destination.windowMs('server'),
  )
  if (expiresAt <= now) return 'expired'
  const ids = destination.outcomes?.identify({
    at: visit.at,
    clickIds: clickIdsFor(destination, visit.clickIds),
    number: deriveKey(visit.secret, `client ${pixelId}`).readUInt32BE() >>> 1,
  })
  const email = hashFor(pixel, outcome)
  if (!ids && email === null) return 'unmatched'
  const payload: EventPayload = {
    at,
    path: '/',
    address: null,
    agent: null,
    marketing: choice?.granted.includes('marketing') ?? false,
    visitor: '',
    ...(value !== null && sendsValue
      ? {
          value: {
            amount: toDecimal(BigInt(value.amount), currencyDigits(value.currency) ?? 0),
            currency: value.currency,
          },
        }
      : {}),
    ...ids,
    ...(email === null ? {} : { email }),
    ...(ids ? {} : { onlyEmail: true }),
  }
  return {
    id: makeRowId(),
    kind: destination.id,
    pixel_id: pixelId,
    event_id: toUuid(deriveKey(visit.secret, `event ${pixelId} ${outcome.id}`)),
    event: toOutcomeEvent(name),
    consent_id: visit.consentId,
    category,
    payload: JSON.stringify(payload),
    email_hash: email,
    next_attempt_at: new Date(now).toISOString(),
    // As for events of the page: when it happened, so that it counts on that day.
    created_at: new Date(at).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  }
}

/** The hash of the kind that the destination wants, if the caller sent it and the visitor agreed. */
function hashFor(pixel: ServerPixel, outcome: TiedOutcome): string | null {
  const { choice, emailSha256: ordinary, emailSha256Google: google } = outcome
  const hashes: EmailHashes = { ordinary, google }
  const kind = pixel.destination.email?.hash
  if (kind === undefined || choice === undefined || !maySendEmail(pixel, choice, 'customer')) return null
  return hashes[kind]
}

function clickIdsFor(
  { clickIds: own }: Destination,
  clickIds: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(own.flatMap((name) => (clickIds[name] ? [[name, clickIds[name]]] : [])))
}

/** Version 8 of RFC 9562: bits of our own choice. */
function toUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
