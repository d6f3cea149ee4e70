import { expect, test } from 'vitest'
import type { DeliveryCheck } from '#contract/conversions.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import { DESTINATIONS, type EventSite } from '#tests/support/event-site.ts'
import { metaError } from '#tests/support/vendor-apis/meta.ts'

/** What administrators and the page get. */
export function testDashboard(site: EventSite): void {
  const { add, admin, waiting } = site

  test('"Conferir" shows what was sent and answered, without the secret', async () => {
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

  test('checks a form before it is saved, with its own token or the stored one, and stores nothing', async () => {
    const meta = await add('meta')
    const { pixel_id } = DESTINATIONS.meta
    const draft = (change: object) =>
      admin<DeliveryCheck>('POST', '/pixels/check', {
        type: 'meta',
        pixel_id,
        test_event_code: 'TEST123',
        ...change,
      })
    expect(await draft({ id: meta.id })).toMatchObject({ state: 'accepted' })
    expect(await draft({ id: meta.id, access_token: 'bad--token' })).toMatchObject({ state: 'refused' })
    expect(await draft({ access_token: 'bad--token' })).toMatchObject({ state: 'refused' })
    expect(await draft({ access_token: 'good-token' })).toMatchObject({ state: 'accepted' })
    const { db } = site.database
    expect(await db.selectFrom('delivery_stops').selectAll().execute()).toEqual([])
    // The stored settings still work.
    expect(
      await admin<DeliveryCheck>('POST', `/pixels/${meta.id}/check`, { test_event_code: 'TEST123' }),
    ).toMatchObject({ state: 'accepted' })
    const status = async (payload: object, headers: object = site.headers) =>
      (
        await site.app.inject({
          method: 'POST',
          url: '/admin/api/pixels/check',
          headers: { ...headers },
          payload,
        })
      ).statusCode
    const hook = { type: 'custom', pixel_id: null, access_token: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz' }
    expect(await status({ type: 'meta', pixel_id, test_event_code: 'TEST123' })).toBe(409)
    expect(await status({ type: 'meta', pixel_id: '../x', access_token: 'good-token' })).toBe(409)
    expect(await status({ ...hook, webhook_url: 'https://10.0.0.1/' })).toBe(409)
    // The secret of one vendor is not used for another.
    expect(await status({ ...hook, id: meta.id, access_token: null, webhook_url: 'https://a.com/' })).toBe(
      409,
    )
    expect(await status({ type: 'meta', pixel_id, access_token: 'good-token' }, {})).toBe(401)
  })

  test("a vendor's refusal of a saved pixel changes its health at once, until it accepts again", async () => {
    const { id } = await add('meta')
    const healthOf = async () =>
      (await admin<TagOverview>('GET', '/tags')).pixels.find(({ pixel_id }) => pixel_id === id)
    const check = () => admin<DeliveryCheck>('POST', `/pixels/${id}/check`, { test_event_code: 'TEST123' })
    expect(await healthOf()).toMatchObject({ health: 'waiting' })
    site.apis.answer = () => metaError(400, { code: 190 })
    await check()
    expect(await healthOf()).toMatchObject({
      health: 'broken',
      reasons: [{ message: expect.stringContaining('A Meta recusou o token') }],
    })
    site.apis.answer = () => undefined
    await check()
    expect(await healthOf()).toMatchObject({ health: 'waiting', reasons: [] })
  })

  test('the page contains nothing of a vendor that the server sends to', async () => {
    await add('google')
    const html = await (await fetch(`${site.url}/`)).text()
    const version = /data-tags="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(/data-tag-kinds="([^"]*)"/.exec(html)?.[1]).toBe('d')
    const manifest = await (await fetch(`${site.url}/tags/${version}.js`)).text()
    expect(manifest).toBe('export const tags=[];export const told=["desempenho"]')
  })
}
