import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import { SERVER_EVENTS } from '#contract/server-event.ts'
import { ALL, DESTINATIONS, type DestinationName, type EventSite } from '#tests/support/event-site.ts'

/** What the visitor allowed, when the event came and when it is sent. */
export function testConsent(site: EventSite): void {
  const { add, choose, cookieOf, send, visitor, waiting, untilEmpty, counts } = site

  test.each<[string, OptionalCategory[], string[]]>([
    ['marketing alone', ['marketing'], ['graph.facebook.com']],
    ['performance alone', ['desempenho'], ['www.google-analytics.com']],
    ['nothing', [], []],
  ])('who accepted %s is told of there, and nowhere else', async (_what, granted, hosts) => {
    for (const destination of Object.keys(DESTINATIONS)) await add(destination as DestinationName)
    const { cookie } = await visitor(granted)
    for (const name of SERVER_EVENTS) {
      const answer = await send({ name }, cookie)
      expect(answer.statusCode).toBe(204)
      expect([answer.headers['set-cookie'] ?? []].flat().length > 0).toBe(hosts.length > 0)
    }
    await untilEmpty()
    expect([...new Set(site.apis.received.map(({ host }) => host))]).toEqual(hosts)
    expect([...new Set(site.apis.tunnels)]).toEqual(hosts.map((host) => `${host}:443`))
    if (granted[0] === 'desempenho')
      expect(site.apis.received[0]?.body.consent).toEqual({
        ad_user_data: 'DENIED',
        ad_personalization: 'DENIED',
      })
  })

  test('what was taken back while it waited is withheld, and the cookies end', async () => {
    const meta = await add('meta')
    const google = await add('google')
    site.apis.isDown = true
    const { id, cookie } = await visitor(ALL)
    for (const name of SERVER_EVENTS) await send({ name }, cookie)
    await vi.waitFor(async () => expect(site.apis.tunnels.length).toBeGreaterThan(0), { timeout: 30_000 })
    expect(await waiting()).toBe(8)
    const left = await choose(id, [], `${cookie}; _fbp=1; portico_visitor=2; portico_analytics=3`)
    expect(left.headers['set-cookie']).toEqual([
      '_fbp=; Path=/; Max-Age=0; SameSite=Lax; Secure',
      'portico_analytics=; Path=/; Max-Age=0; SameSite=Lax; Secure',
      'portico_visitor=; Path=/; Max-Age=0; SameSite=Lax; Secure',
    ])
    expect(await waiting()).toBe(0)
    expect(await counts(meta.id)).toEqual({ withheld: 4 })
    const told = await counts(google.id)
    expect((told.withheld ?? 0) + (told.unconfirmed ?? 0)).toBe(4)
    expect(site.apis.received).toEqual([])
  })

  test('the newest record decides at sending, whatever the cookie said', async () => {
    const meta = await add('meta')
    const { id } = await visitor(['marketing'])
    await choose(id, ['desempenho'])
    // The browser still has the cookie of before.
    await send({}, cookieOf(id, ['marketing']))
    await untilEmpty()
    expect(await counts(meta.id)).toEqual({ withheld: 1 })
    expect(site.apis.tunnels).toEqual([])
  })

  test('a record that comes after its event is waited for', async () => {
    const meta = await add('meta')
    const id = randomUUID()
    await send({}, cookieOf(id, ['marketing']))
    await choose(id, ['marketing'])
    await untilEmpty()
    expect(await counts(meta.id)).toEqual({ accepted: 1 })
  })
}
