import { expect, onTestFinished, test, vi } from 'vitest'
import type { DeliveryCheck } from '#contract/delivery-log.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import type { Today } from '#contract/today.ts'
import { ALL, DESTINATIONS, type EventSite } from '#tests/support/event-site.ts'
import { metaError } from '#tests/support/vendor-apis/start-vendor-apis.ts'

/** What administrators and the page are told. */
export function testDashboard(site: EventSite): void {
  const { add, admin, send, visitor, waiting, untilEmpty } = site

  test('"Conferir" shows what was sent and what came back, without the secret', async () => {
    const meta = await add('meta')
    const google = await add('google')
    const hook = await add('hook')
    const check = (id: string, payload: object = {}) =>
      admin<DeliveryCheck>('POST', `/pixels/${id}/check`, payload)
    const metaCheck = await check(meta.id, { test_event_code: 'TEST123' })
    expect(metaCheck).toMatchObject({
      state: 'accepted',
      request: { body: { test_event_code: 'TEST123' } },
      response: { status: 200 },
    })
    expect(site.apis.received.at(-1)?.body).toEqual(metaCheck.request.body)
    const googleCheck = await check(google.id)
    expect(googleCheck).toMatchObject({
      state: 'unconfirmed',
      message: expect.stringContaining('formato está certo'),
    })
    expect(site.apis.received.at(-1)?.path).toMatch(/^\/debug\/mp\/collect/)
    const hookCheck = await check(hook.id)
    expect(hookCheck).toMatchObject({ state: 'accepted', response: { status: 200 } })
    expect(JSON.stringify([metaCheck, googleCheck, hookCheck])).not.toMatch(/good-token|google-secret|whsec/)
    site.apis.answer = () => metaError(400, { code: 190 })
    expect(await check(meta.id, { test_event_code: 'TEST123' })).toMatchObject({
      state: 'refused',
      message: expect.stringContaining('token'),
    })
    const missing = await site.app.inject({
      method: 'POST',
      url: `/admin/api/pixels/${meta.id}/check`,
      headers: site.headers,
      payload: {},
    })
    expect(missing.statusCode).toBe(400)
    expect(await waiting()).toBe(0)
    const stranger = await site.app.inject({
      method: 'POST',
      url: `/admin/api/pixels/${meta.id}/check`,
      payload: {},
    })
    expect(stranger.statusCode).toBe(401)
  })

  test('a click counts once in "Hoje", told by a pixel of the server alone, by a tag, or by both', async () => {
    // The day does not end meanwhile.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { db } = site.database
    await db.deleteFrom('site_counts').execute()
    const clicks = async () => {
      const { contact } = await admin<Today>('GET', '/today')
      return contact.today
    }
    const tag = await add('meta', {
      delivery: 'browser',
      access_token: null,
      send_hashed_email: false,
      code: generateSnippet('meta', DESTINATIONS.meta.pixel_id),
    })
    const html = await (await fetch(`${site.url}/`)).text()
    const set = /data-tags="([^"]+)"/.exec(html)?.[1]
    const report = (cookie: string) =>
      site.app.inject({
        method: 'POST',
        url: '/api/tags/report',
        headers: { cookie },
        payload: { set, results: [], conversion: { name: 'contact', ids: [tag.id] } },
      })
    const everything = await visitor(ALL)
    // By the tag alone: nobody is told by the server.
    expect((await report(everything.cookie)).statusCode).toBe(204)
    await vi.waitFor(async () => expect(await clicks()).toBe(1), { timeout: 30_000 })
    await add('hook')
    // Both speak of the same click; a visitor who did not allow the webhook's category has the tag alone.
    await send({ name: 'contact' }, everything.cookie)
    await report(everything.cookie)
    await report((await visitor(['marketing'])).cookie)
    // The tag was blocked: its page still tells the server.
    await send({ name: 'contact' }, everything.cookie)
    await send({ name: 'page_view' }, everything.cookie)
    await untilEmpty()
    await vi.waitFor(async () => expect(await clicks()).toBe(4), { timeout: 30_000 })
    await site.app.inject({
      method: 'DELETE',
      url: `/rest/v1/tracking_pixels?id=eq.${tag.id}`,
      headers: site.headers,
    })
    // With the server's pixel alone, a day that was measured has a figure, also when it is none.
    await db.deleteFrom('site_counts').execute()
    await send({ name: 'page_view' }, everything.cookie)
    await vi.waitFor(async () => expect(await clicks()).toBe(0), { timeout: 30_000 })
  })

  test('the page has nothing of a vendor that the server tells, and knows whom to tell', async () => {
    await add('google')
    const html = await (await fetch(`${site.url}/`)).text()
    const version = /data-tags="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(/data-tag-kinds="([^"]*)"/.exec(html)?.[1]).toBe('d')
    const manifest = await (await fetch(`${site.url}/tags/${version}.js`)).text()
    expect(manifest).toBe('export const tags=[];export const told=["desempenho"]')
  })
}
