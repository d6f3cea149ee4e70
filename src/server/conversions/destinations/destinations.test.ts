import { expect, test } from 'vitest'
import { CLICK_ID_RULES } from '#contract/click-ids.ts'
import { CONVERSIONS } from '#contract/conversions.ts'
import { HOUR_MS } from '#contract/durations.ts'
import {
  ACCESS_TOKEN_LABELS,
  DELIVERY_CHOICES,
  isAccessToken,
  PIXEL_TYPES,
  type PixelType,
  SERVER_ID_PATTERNS,
  WEBHOOK_URL_MAX_LENGTH,
} from '#contract/pixel.ts'
import { SERVER_EVENTS } from '#contract/server-event.ts'
import { VENDORS } from '#server/vendors/vendors.ts'
import { writeDocTable } from '#tests/support/doc-table.ts'
import { ROUNDS } from '../channel.ts'
import { type Field, isAccepted } from './destination.ts'
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

test('docs/integrate/events.md lists every destination', () => {
  const hours = (ms: number) => `${ms / HOUR_MS} h`
  writeDocTable('docs/integrate/events.md', 'destinations', [
    [
      '`destination`',
      'name',
      'pixel type',
      '`delivery`',
      'kept for',
      'at most once',
      'requests at once',
      'events in each',
    ],
    ...DESTINATIONS.map(({ id, name, type, ways, windowMs, atMostOnce, batch, parallel }) => [
      `\`${id}\``,
      name,
      `\`${type}\``,
      ways.map((way) => `\`${way}\``).join(', '),
      [
        ...new Set(ways.map((way) => `${hours(windowMs(way))}${ways.length > 1 ? ` (\`${way}\`)` : ''}`)),
      ].join(', '),
      atMostOnce ? 'yes' : 'no',
      String(ROUNDS * parallel),
      batch === 1 ? '1' : `up to ${batch}`,
    ]),
  ])
  writeDocTable('docs/integrate/events.md', 'event-names', [
    ['destination', ...SERVER_EVENTS.map((event) => `\`${event}\``)],
    ...DESTINATIONS.map(({ name, events, form }) => [
      name,
      ...SERVER_EVENTS.map((event) =>
        events[event] === null
          ? 'not sent'
          : form.eventId === undefined
            ? `\`${events[event]}\``
            : `your \`event_ids.${event}\` (\`${events[event]}\`)`,
      ),
    ]),
  ])
})

test('a vendor gets click IDs of its own only', () => {
  for (const { id, clickIds } of DESTINATIONS) {
    const issuers = new Set(clickIds.map((name) => CLICK_ID_RULES[name].issuer))
    expect([id, issuers.size <= 1]).toEqual([id, true])
  }
})

/** Page and server send the same name and ID, or the vendor would count both. */
test.each(DESTINATIONS.filter(({ ways }) => ways.includes('both')))(
  '$id: page and server give conversions the same name',
  ({ vendor, events, form }) => {
    const inPage = VENDORS.find(({ id }) => id === vendor)?.conversion
    expect(inPage).toBeDefined()
    for (const name of CONVERSIONS) {
      expect(JSON.stringify(inPage?.args[name])).toContain('"$id"')
      if (form.eventId === undefined) expect(inPage?.events[name]).toBe(events[name])
    }
  },
)

test('a suggested vendor is in the catalogue', () => {
  for (const { vendor } of DESTINATIONS)
    if (vendor !== undefined) expect(VENDORS.map(({ id }) => id)).toContain(vendor)
})

test('ids are unique', () => {
  expect(new Set(DESTINATIONS.map(({ id }) => id)).size).toBe(DESTINATIONS.length)
})

test('serves the form as JSON, with examples that match their patterns', () => {
  const served = serveDestinations()
  expect(JSON.parse(JSON.stringify(served))).toEqual(served)
  for (const { form, test: options } of DESTINATIONS)
    for (const field of [form.account, form.secret, form.url, form.eventId, options.code] as (
      | Field
      | undefined
    )[])
      if (field?.example !== undefined) expect(isAccepted(field, field.example), field.example).toBe(true)
})

/** The dashboard's form still has these by type. */
test.each(PIXEL_TYPES)('%s: the dashboard’s form agrees with the first destination', (type) => {
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

test('describes a cookie of the vendor’s script as the catalogue does', () => {
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
