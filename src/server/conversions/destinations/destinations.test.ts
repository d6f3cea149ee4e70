import { expect, test } from 'vitest'
import {
  ACCESS_TOKEN_LABELS,
  DELIVERY_CHOICES,
  isAccessToken,
  PIXEL_TYPES,
  type PixelType,
  SERVER_ID_PATTERNS,
  WEBHOOK_URL_MAX_LENGTH,
} from '#contract/pixel.ts'
import { VENDORS } from '#server/vendors/vendors.ts'
import { isAccepted } from './destination.ts'
import { DESTINATIONS, destinationOf, serveDestinations } from './destinations.ts'

test.each<[string, PixelType, string | null | undefined, string | null]>([
  ['a row that names it', 'meta', 'meta', 'meta'],
  ['a row of an older process', 'google_analytics', null, 'google_analytics'],
  ['a row that was never read with the column', 'custom', undefined, 'webhook'],
  ['a row whose type an older process changed', 'google_analytics', 'meta', 'google_analytics'],
  ['a type that only browsers run', 'google_tag_manager', null, null],
  ['a destination that only a newer release knows', 'custom', 'carrier-pigeon', null],
])('the destination of %s', (_what, type, destination, id) => {
  expect(destinationOf({ type, destination })?.id ?? null).toBe(id)
})

test('ids are unique', () => {
  expect(new Set(DESTINATIONS.map(({ id }) => id)).size).toBe(DESTINATIONS.length)
})

test('the form is served as JSON, and each example passes its own pattern', () => {
  const served = serveDestinations()
  expect(JSON.parse(JSON.stringify(served))).toEqual(served)
  for (const { form, test: options } of DESTINATIONS)
    for (const field of [...Object.values(form), ...(options.code ? [options.code] : [])])
      if (field.example !== undefined) expect(isAccepted(field, field.example), field.example).toBe(true)
})

/** The dashboard's form still has these by type. */
test.each(PIXEL_TYPES)('the dashboard’s form and the first destination of %s agree', (type) => {
  const destination = destinationOf({ type })
  expect(DELIVERY_CHOICES[type]).toEqual(['browser', ...(destination?.ways ?? [])])
  expect(ACCESS_TOKEN_LABELS[type]).toBe(destination?.form.secret.label)
  const secrets = ['good-token', 'bad token', `whsec_${'a'.repeat(32)}`, 'x']
  for (const secret of secrets)
    expect(isAccessToken(type, secret)).toBe(
      destination !== null && isAccepted(destination.form.secret, secret),
    )
  const account = destination?.form.account
  for (const id of ['482910377165024', 'G-7XK2M9QTLP', 'g-7xk2', 'AW-123456', '1', 'G-7'])
    expect(SERVER_ID_PATTERNS[type]?.test(id)).toBe(account && isAccepted(account, id))
  if (destination?.form.url) expect(destination.form.url.maxLength).toBe(WEBHOOK_URL_MAX_LENGTH)
})

test('a cookie that the vendor’s script sets too is described as in the catalogue', () => {
  const catalogue = new Map(
    VENDORS.flatMap(({ cookies }) => cookies).flatMap(({ name, duration, purpose }) =>
      'exact' in name ? [[name.exact, { duration, purpose }] as const] : [],
    ),
  )
  const shared = DESTINATIONS.flatMap(({ cookies }) => cookies).filter(({ name }) => catalogue.has(name))
  expect(shared.map(({ name }) => name)).toEqual(['_fbp', '_fbc'])
  for (const { name, days, purpose } of shared)
    expect(catalogue.get(name)).toEqual({ duration: `${days} dias`, purpose })
})
