import { EMAIL_RECIPIENTS, recipientsNamedBy, textVersionFor } from '#contract/consent-choice.ts'
import type { DestinationField, ServedDestination } from '#contract/conversions.ts'
import { DAY_MS } from '#contract/durations.ts'
import type { PixelType } from '#contract/pixel.ts'
import type { EmailSharing } from '#contract/site.ts'
import { type ApiOverrides, apiOf, type Destination, type Field } from './destination.ts'
import { googleAds } from './google-ads.ts'
import { googleAnalytics } from './google-analytics.ts'
import { linkedin } from './linkedin.ts'
import { meta } from './meta.ts'
import { pinterest } from './pinterest.ts'
import { tiktok } from './tiktok.ts'
import { webhook } from './webhook.ts'

/** Every destination. Pixels that name none are sent to the first of their type. */
export const DESTINATIONS: readonly Destination[] = [
  meta,
  googleAnalytics,
  webhook,
  tiktok,
  googleAds,
  pinterest,
  linkedin,
]

/**
 * Where the server sends a pixel's events; null if it cannot. A row written by an older process names none, or one of
 * its former type: it is sent to the first of its type. A destination that only a newer release knows is not sent.
 */
export function destinationOf(pixel: {
  type: PixelType
  destination?: string | null | undefined
}): Destination | null {
  const named = DESTINATIONS.find(({ id }) => id === pixel.destination)
  if (named === undefined && typeof pixel.destination === 'string') return null
  if (named?.type === pixel.type) return named
  return DESTINATIONS.find(({ type }) => type === pixel.type) ?? null
}

/** The version of the text that names Meta alone: it speaks of subscribers only. */
const FIRST_EMAIL_TEXT = textVersionFor(['meta'])

/** Who gets hashed addresses by the text with this version; null if nobody does. */
export function emailSharingOf(textVersion: number): EmailSharing | null {
  const named = recipientsNamedBy(textVersion)
  if (named.length === 0) return null
  return {
    recipients: named.flatMap((id) =>
      DESTINATIONS.filter(({ email }) => email?.recipient === id).map(({ who }) => who),
    ),
    ofCustomers: textVersion !== FIRST_EMAIL_TEXT,
  }
}

/** Versions of every text that this release can show. */
export const CONSENT_TEXTS: readonly number[] = Array.from(
  { length: 1 << EMAIL_RECIPIENTS.length },
  (_, bits) => textVersionFor(EMAIL_RECIPIENTS.filter((_id, at) => bits & (1 << at))),
)

/** From this long before a version's end, the operator is reminded. */
const REMINDED_MS = 30 * DAY_MS

/** What the operator should change in `DESTINATION_APIS`: names that no destination has, and versions that end. */
export function findApiProblems(
  overrides: ApiOverrides,
  now: number,
): { unknown: string[]; ending: { name: string; version: string; hasEnded: boolean }[] } {
  return {
    unknown: Object.keys(overrides).filter((id) => !DESTINATIONS.some((each) => each.id === id)),
    ending: DESTINATIONS.flatMap((destination) => {
      const { version } = apiOf(destination, overrides)
      const end = destination.api?.endOf?.(version) ?? null
      return end === null || now < end - REMINDED_MS
        ? []
        : [{ name: destination.name, version, hasEnded: now >= end }]
    }),
  }
}

/** `GET /admin/api/destinations`: what a form needs to know about each. */
export function serveDestinations(): ServedDestination[] {
  return DESTINATIONS.map(
    ({ id, name, type, vendor, who, ways, events, form, email, confirmation, test }) => ({
      id,
      name,
      type,
      vendor: vendor ?? null,
      who,
      deliveries: [...ways],
      meanings: form.meanings,
      recommended: form.recommended ?? null,
      more: form.more ?? null,
      events,
      account: toServedField(form.account),
      secret: { ...toServedField(form.secret), where: form.secret.where },
      url: toServedField(form.url),
      event_id: toServedField(form.eventId),
      takes_hashed_email: email !== undefined,
      confirms_later: confirmation !== undefined,
      test: {
        meaning: test.meaning,
        code: toServedField(test.code),
        is_sent: test.checkHere === undefined,
      },
    }),
  )
}

export function toServedField(field: Field): DestinationField
export function toServedField(field: Field | undefined): DestinationField | null
export function toServedField(field: Field | undefined): DestinationField | null {
  if (field === undefined) return null
  const { label, hint, example, pattern, maxLength, refusal } = field
  return {
    label,
    hint: hint ?? null,
    example: example ?? null,
    pattern: pattern.source,
    max_length: maxLength,
    refusal,
  }
}
