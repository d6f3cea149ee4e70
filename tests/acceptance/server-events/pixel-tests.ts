import { expect, test, vi } from 'vitest'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import type { CreatedTest, TagTest } from '#contract/tag-test.ts'
import { AGENT, DESTINATIONS, EVENT_ID, type EventSite } from '#tests/support/event-site.ts'

/** A test visit with server events in the vendor’s test mode. */
export function testPixelTests(site: EventSite): void {
  const { add, admin } = site

  test.each([
    ['meta', ['PageView', 'Lead'], 'accepted'],
    ['both', ['Lead'], 'accepted'],
    ['google', ['page_view', 'generate_lead'], 'unconfirmed'],
    ['hook', ['conversion.page_view', 'conversion.lead'], 'accepted'],
  ] as const)(
    'a test of "%s" is sent in the vendor’s test mode, listed among its steps, and not counted',
    async (name, events, state) => {
      const code = name === 'both' ? generateSnippet('meta', DESTINATIONS.both.pixel_id) : ''
      const { id: pixel } = await add(name, { code })
      const page = await (await fetch(site.url)).text()
      const set = /data-tags="([^"]+)"/.exec(page)?.[1] ?? ''
      const test = async (test_event_code: string) => {
        const created = await admin<CreatedTest>('POST', `/pixels/${pixel}/tests`, { test_event_code })
        const token = created.url.split('=')[1] ?? ''
        const post = (url: string, payload: object) =>
          site.app.inject({ method: 'POST', url, payload, headers: { 'user-agent': AGENT } })
        const { key } = (await post('/api/tag-tests', { token, set })).json()
        const steps = [
          { kind: 'chosen', ok: true, at: 1 },
          { kind: 'conversion', conversion: 'lead', id: EVENT_ID, at: 2 },
        ]
        expect((await post('/api/tag-tests/steps', { key, steps })).statusCode).toBe(204)
        return vi.waitFor(async () => {
          const { awaits_copies, steps: seen } = await admin<TagTest>(
            'GET',
            `/pixels/${pixel}/tests/${created.id}`,
          )
          expect(awaits_copies).toBe(false)
          return seen.flatMap(({ copy }) => copy ?? [])
        }, 30_000)
      }
      const copies = await test('TEST48213')
      expect(copies.map(({ check }) => check?.state)).toEqual(events.map(() => state))
      const names = site.apis.received.map(
        ({ body }) => body.type ?? body.data?.[0].event_name ?? body.events[0].name,
      )
      expect(names.sort()).toEqual([...events].sort())
      for (const { host, path, body } of site.apis.received) {
        if (host === 'graph.facebook.com') expect(body.test_event_code).toBe('TEST48213')
        else if (host === 'www.google-analytics.com') expect(path).toMatch(/^\/debug\//)
        else expect(body.data.test).toBe(true)
      }
      // The same ID as in the browser's event, and never the secret.
      expect(JSON.stringify(site.apis.received.map(({ body }) => body))).toContain(
        name === 'google' ? 'generate_lead' : EVENT_ID,
      )
      expect(JSON.stringify(copies)).not.toContain(DESTINATIONS[name].access_token)
      site.apis.received.length = 0
      const uncoded = await test('')
      if (name === 'meta' || name === 'both') {
        expect(uncoded.map(({ check }) => check)).toEqual(events.map(() => null))
        expect(site.apis.received).toEqual([])
      }
      for (const table of ['deliveries', 'counts', 'delivery_log', 'consent_records'] as const)
        expect(await site.database.db.selectFrom(table).selectAll().execute()).toEqual([])
    },
  )
}
