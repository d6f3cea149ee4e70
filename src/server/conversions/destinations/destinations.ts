import type { DestinationField, ServedDestination } from '#contract/conversions.ts'
import type { PixelType } from '#contract/pixel.ts'
import type { Destination, Field } from './destination.ts'
import { googleAnalytics } from './google-analytics.ts'
import { meta } from './meta.ts'
import { webhook } from './webhook.ts'

/** Every destination. The first of a type is where its pixels are sent that name none. */
export const DESTINATIONS: readonly Destination[] = [meta, googleAnalytics, webhook]

/**
 * Where the server sends the events of a pixel; null where it cannot. A row that an older process wrote names none, or the
 * one of the type that it had before: it is sent to the first of its type. One that only a newer release knows is not
 * sent by this one.
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

/** `GET /admin/api/destinations`: what a form needs to know of each. */
export function serveDestinations(): ServedDestination[] {
  return DESTINATIONS.map(({ id, name, type, ways, form, carries, test }) => ({
    id,
    name,
    type,
    deliveries: [...ways],
    account: form.account === undefined ? null : toServedField(form.account),
    secret: toServedField(form.secret),
    url: form.url === undefined ? null : toServedField(form.url),
    takes_hashed_email: carries.includes('email'),
    test: {
      meaning: test.meaning,
      code: test.code === undefined ? null : { ...toServedField(test.code), hint: test.code.hint },
    },
  }))
}

function toServedField({ label, example, pattern, maxLength, refusal }: Field): DestinationField {
  return { label, example: example ?? null, pattern: pattern.source, max_length: maxLength, refusal }
}
