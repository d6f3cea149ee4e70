import { describe, expect, test, vi } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import { SERVER_EVENTS } from '#contract/server-event.ts'
import { type EventIds, takesEvent } from '#server/conversions/destinations/destination.ts'
import { DESTINATIONS as ALL_DESTINATIONS } from '#server/conversions/destinations/destinations.ts'
import { ALL, DESTINATIONS, prepareEventSite, prepareVendorsAndMail } from '#tests/support/event-site.ts'
import { googleAdsPixel } from '#tests/support/vendor-apis/google-ads.ts'
import { linkedinPixel } from '#tests/support/vendor-apis/linkedin.ts'
import { pinterestPixel } from '#tests/support/vendor-apis/pinterest.ts'
import { tiktokPixel } from '#tests/support/vendor-apis/tiktok.ts'

const PIXELS: Record<string, { event_ids?: EventIds; [column: string]: unknown }> = {
  meta: DESTINATIONS.meta,
  google_analytics: DESTINATIONS.google,
  webhook: DESTINATIONS.hook,
  tiktok: tiktokPixel,
  google_ads: googleAdsPixel,
  pinterest: pinterestPixel,
  linkedin: linkedinPixel,
}

const surroundings = prepareVendorsAndMail()
const site = prepareEventSite('sqlite', surroundings)

describe.each(ALL_DESTINATIONS.map((destination) => [destination.id, destination] as const))(
  'every event for %s',
  (id, destination) => {
    const pixel = { ...PIXELS[id], consent_category: 'marketing' }
    const events = SERVER_EVENTS.filter((event) =>
      takesEvent(destination, PIXELS[id]?.event_ids ?? {}, event),
    )
    // Webhook and Google Analytics take others' clicks too; Google Ads only takes its own.
    const sendAll = async (cookie: string) => {
      for (const name of SERVER_EVENTS)
        expect((await site.send({ name, path: '/?gclid=GCLICK' }, cookie)).statusCode).toBe(204)
    }
    const sum = (states: Readonly<Record<string, number>>) =>
      Object.values(states).reduce((total, count) => total + count, 0)

    test.each<[string, OptionalCategory[], boolean]>([
      ['given', ALL, true],
      ['given in part, with its category', ['marketing'], true],
      ['given in part, without it', ALL.filter((category) => category !== 'marketing'), false],
      ['refused', [], false],
    ])('with consent %s', async (_what, granted, isSent) => {
      const row = await site.addRow(pixel)
      const { cookie } = await site.visitor(granted)
      await sendAll(cookie)
      await site.untilEmpty()
      const { accepted = 0, unconfirmed = 0, ...others } = await site.counts(row.id)
      expect(accepted + unconfirmed).toBe(isSent ? events.length : 0)
      expect(others).toEqual({})
      expect(site.apis.tunnels.length > 0).toBe(isSent)
    })

    test('with consent withdrawn while it waits', async () => {
      const row = await site.addRow(pixel)
      site.apis.isDown = true
      const { id: person, cookie } = await site.visitor(ALL)
      await sendAll(cookie)
      await vi.waitFor(() => expect(site.apis.tunnels.length).toBeGreaterThan(0), 30_000)
      await site.choose(person, ['desempenho', 'funcionalidade'], cookie)
      const counts = await site.counts(row.id)
      // Where the vendor counts duplicates, an event whose connection broke is not sent again.
      expect(Object.keys(counts).filter((state) => state !== 'unconfirmed')).toEqual(['withheld'])
      expect(sum(counts)).toBe(events.length)
      expect(site.apis.received).toEqual([])
    })
  },
)
