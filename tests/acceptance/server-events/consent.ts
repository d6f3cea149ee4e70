import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import { SERVER_EVENTS } from '#contract/server-event.ts'
import { ALL, DESTINATIONS, type DestinationName, type EventSite } from '#tests/support/event-site.ts'

/** What the visitor allowed, when the event arrives and when it is sent. */
export function testConsent(site: EventSite): void {
  const { add, choose, cookieOf, send, visitor, waiting, untilEmpty, counts } = site

  test.each<[string, OptionalCategory[], string[]]>([
    ['marketing alone', ['marketing'], ['graph.facebook.com']],
    ['performance alone', ['desempenho'], ['www.google-analytics.com']],
    ['nothing', [], []],
  ])('sends for %s to the granted destinations only', async (_what, granted, hosts) => {
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

  test('withholds waiting events after a withdrawal, and expires the cookies', async () => {
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
    const results = await counts(google.id)
    expect((results.withheld ?? 0) + (results.unconfirmed ?? 0)).toBe(4)
    expect(site.apis.received).toEqual([])
  })

  test('a withdrawal of one category keeps events of the others', async () => {
    const meta = await add('meta')
    const hook = await add('hook')
    site.apis.isDown = true
    const { id, cookie } = await visitor(ALL)
    await send({}, cookie)
    expect(await waiting()).toBe(2)
    await choose(id, ['funcionalidade'], cookie)
    expect(await site.events().select('pixel_id').execute()).toEqual([{ pixel_id: hook.id }])
    expect(await counts(meta.id)).toEqual({ withheld: 1 })
    expect(await counts(hook.id)).toEqual({})
  })

  test('stores nothing while all tags are paused', async () => {
    const pause = async (paused: boolean) => {
      const { app, headers } = site
      const url = '/admin/api/tags/pause'
      expect((await app.inject({ method: 'PUT', url, headers, payload: { paused } })).statusCode).toBe(200)
    }
    await pause(true)
    await add('meta')
    const { cookie } = await visitor(ALL)
    expect((await send({}, cookie)).statusCode).toBe(204)
    const stored = await waiting()
    await pause(false)
    expect(stored).toBe(0)
    expect(site.apis.tunnels).toEqual([])
  })

  test('the newest record decides when sending, whatever the cookie says', async () => {
    const meta = await add('meta')
    const { id } = await visitor(['marketing'])
    await choose(id, ['desempenho'])
    // The browser still has the earlier cookie.
    await send({}, cookieOf(id, ['marketing']))
    await untilEmpty()
    expect(await counts(meta.id)).toEqual({ withheld: 1 })
    expect(site.apis.tunnels).toEqual([])
  })

  test('waits for a record that arrives after its event', async () => {
    const meta = await add('meta')
    const id = randomUUID()
    await send({}, cookieOf(id, ['marketing']))
    // Read before there is a record.
    await vi.waitFor(async () => {
      const [row] = await site.events().select(['created_at', 'next_attempt_at', 'leased_until']).execute()
      expect(row?.leased_until ?? null).toBeNull()
      expect(row?.next_attempt_at).not.toBe(row?.created_at ?? '')
    }, 30_000)
    await choose(id, ['marketing'])
    await untilEmpty()
    expect(await counts(meta.id)).toEqual({ accepted: 1 })
  })
}
