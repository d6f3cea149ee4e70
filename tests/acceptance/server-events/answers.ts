import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { PixelDeliveries } from '#contract/conversions.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import type { VisitResults } from '#contract/visit-results.ts'
import { expireConversions } from '#server/conversions/delivery-results.ts'
import { ALL, type EventSite } from '#tests/support/event-site.ts'
import { PRINCIPAL } from '#tests/support/test-app.ts'
import { metaError } from '#tests/support/vendor-apis/meta.ts'

/** Vendors' answers, and the outcome of the event. */
export function testAnswers(site: EventSite): void {
  const { add, patch, admin, send, visitor, waiting, untilEmpty, counts } = site

  /** All waiting events of a pixel were tried, and none is being sent. */
  const untilTried = (pixelId: string) =>
    vi.waitFor(async () => {
      const rows = await site
        .events()
        .select(['attempts', 'leased_until'])
        .where('pixel_id', '=', pixelId)
        .execute()
      expect(rows.every(({ attempts, leased_until }) => attempts > 0 && leased_until === null)).toBe(true)
    }, 30_000)

  test('finds one bad event of a batch, and delivers the others', async () => {
    const meta = await add('meta')
    site.apis.isDown = true
    const { cookie } = await visitor(ALL)
    const ids = Array.from({ length: 9 }, () => randomUUID())
    for (const id of ids) await send({ id }, cookie)
    site.apis.answer = ({ body }) =>
      body.data.some((event: { event_id: string }) => event.event_id === ids[4])
        ? metaError(400, { code: 100, error_subcode: 2804003 })
        : undefined
    site.apis.isDown = false
    await vi.waitFor(
      async () => {
        await admin('POST', `/pixels/${meta.id}/deliveries/retry`)
        expect(await waiting()).toBe(0)
      },
      { timeout: 30_000 },
    )
    expect(await counts(meta.id)).toEqual({ accepted: 8, refused: 1 })
    const results = await admin<PixelDeliveries>('GET', `/pixels/${meta.id}/deliveries`)
    expect(results.refusals).toEqual([
      { reason: '100/2804003', message: 'O evento tem mais de 7 dias, e a Meta não aceita mais.', count: 1 },
    ])
    expect(results.deliveries).toHaveLength(Math.min(20, results.deliveries.length))
    expect(JSON.stringify(results)).not.toMatch(/189\.6|Mozilla|fb\.|good-token/)
  })

  test('does not send the rest of a batch once the token is refused', async () => {
    const meta = await add('meta')
    site.apis.isDown = true
    const { cookie } = await visitor(ALL)
    for (let count = 0; count < 4; count++) await send({}, cookie)
    await untilTried(meta.id)
    site.apis.answer = ({ body }) =>
      body.data.length === 4
        ? metaError(400, { code: 100, error_subcode: 2804003 })
        : metaError(401, { code: 190 })
    site.apis.isDown = false
    await admin('POST', `/pixels/${meta.id}/deliveries/retry`)
    await vi.waitFor(
      async () =>
        expect(await admin<PixelDeliveries>('GET', `/pixels/${meta.id}/deliveries`)).toMatchObject({
          stopped: { code: 'token_refused' },
          waiting: 4,
        }),
      { timeout: 30_000 },
    )
    expect(site.apis.received.map(({ body }) => body.data.length)).toEqual([4, 2])
    await site.mailbox.take(PRINCIPAL.email)

    // "Tentar de novo" lifts the stop.
    site.apis.answer = () => undefined
    await admin('POST', `/pixels/${meta.id}/deliveries/retry`)
    await untilEmpty()
    expect(await counts(meta.id)).toEqual({ accepted: 4 })
  })

  test('does not send what its destination no longer accepts', async () => {
    const meta = await add('meta')
    site.apis.isDown = true
    const { cookie } = await visitor(ALL)
    await send({}, cookie)
    await untilTried(meta.id)
    await site.database.db
      .updateTable('deliveries')
      .set({ expires_at: new Date().toISOString() })
      .where('pixel_id', '=', meta.id)
      .execute()
    site.apis.isDown = false
    await admin('POST', `/pixels/${meta.id}/deliveries/retry`)
    await untilEmpty()
    expect(await counts(meta.id)).toEqual({ expired: 1 })
    expect(site.apis.received).toEqual([])
  })

  test('a refused token stops the sending and keeps waiting events, and a new one resumes it', async () => {
    const meta = await add('meta', { access_token: 'bad--token' })
    const { cookie } = await visitor(ALL)
    await send({}, cookie)
    await vi.waitFor(
      async () =>
        expect(await admin<PixelDeliveries>('GET', `/pixels/${meta.id}/deliveries`)).toMatchObject({
          stopped: { code: 'token_refused', message: expect.stringContaining('novo token') },
          waiting: 1,
          next_attempt_at: null,
          deliveries: [{ state: 'waiting', answer: 'HTTP 401 · 190' }],
        }),
      { timeout: 30_000 },
    )
    await send({}, cookie)
    await send({}, cookie)
    expect(site.apis.received).toHaveLength(1)
    const { pixels } = await admin<TagOverview>('GET', '/tags')
    expect(pixels[0]).toMatchObject({ health: 'broken', reasons: [{ code: 'token_refused' }] })
    const mail = await site.mailbox.take(PRINCIPAL.email)
    expect(mail.subject).toBe('O pixel "Meta" parou de enviar conversões')
    expect(mail.text).toContain('A Meta recusou o token de acesso')
    expect(mail.text).toContain(`/admin/pixels/${meta.id}`)
    expect(site.mailbox.received).toEqual([])
    await patch(meta.id, { access_token: 'good-token' })
    await untilEmpty()
    expect(await counts(meta.id)).toEqual({ accepted: 3 })
    const after = await admin<TagOverview>('GET', '/tags')
    expect(after.pixels[0]).toMatchObject({
      health: 'working',
      confirmed: true,
      reasons: [{ code: 'server_accepted' }],
    })
  })

  test('tries a blocked account once an hour with one event, and resumes by itself', async () => {
    const meta = await add('meta')
    const { db } = site.database
    const { cookie } = await visitor(ALL)
    site.apis.answer = () => metaError(400, { code: 368 })
    const stop = async () => (await admin<PixelDeliveries>('GET', `/pixels/${meta.id}/deliveries`)).stopped
    await send({}, cookie)
    await vi.waitFor(async () => expect(await stop()).toMatchObject({ code: 'account_blocked' }), 30_000)
    const mail = await site.mailbox.take(PRINCIPAL.email)
    expect(mail.text).toMatch(
      /A primeira expira em \d{2}\/\d{2}\/\d{4}, \d{2}:\d{2} \(horário de Brasília\)\./,
    )
    for (let count = 0; count < 3; count++) await send({}, cookie)
    const hourAgo = (column: 'stopped_at' | 'tried_at') =>
      db
        .updateTable('delivery_stops')
        .set({ [column]: new Date(Date.now() - 3_700_000).toISOString() })
        .execute()
    site.apis.received.length = 0
    await hourAgo('stopped_at')
    const since = (await stop())?.since
    await send({}, cookie)
    await vi.waitFor(async () => {
      const { tried_at } = await db.selectFrom('delivery_stops').select('tried_at').executeTakeFirstOrThrow()
      expect(tried_at).not.toBeNull()
      expect(site.apis.received).toHaveLength(1)
    }, 30_000)
    expect((await stop())?.since).toBe(since)
    site.apis.answer = () => undefined
    await send({}, cookie)
    expect(site.apis.received).toHaveLength(1)
    await hourAgo('tried_at')
    await send({}, cookie)
    await untilEmpty()
    expect(await stop()).toBeNull()
    expect(await counts(meta.id)).toEqual({ accepted: 7 })
    expect(site.mailbox.received).toEqual([])
  })

  test('never resends what was written to Google, and resends what was not', async () => {
    const google = await add('google')
    const { cookie } = await visitor(ALL)
    site.apis.answer = () => 'reset'
    await send({}, cookie)
    await untilEmpty()
    expect(await counts(google.id)).toEqual({ unconfirmed: 1 })
    expect(site.apis.received).toHaveLength(1)
    site.apis.answer = () => undefined
    site.apis.isDown = true
    await send({}, cookie)
    await vi.waitFor(async () => {
      const { deliveries } = await admin<PixelDeliveries>('GET', `/pixels/${google.id}/deliveries`)
      expect(deliveries[0]).toMatchObject({ state: 'waiting' })
    }, 30_000)
    site.apis.isDown = false
    await vi.waitFor(
      async () => {
        await admin('POST', `/pixels/${google.id}/deliveries/retry`)
        expect(await waiting()).toBe(0)
      },
      { timeout: 30_000 },
    )
    expect(site.apis.received).toHaveLength(2)
    const { pixels } = await admin<TagOverview>('GET', '/tags')
    expect(pixels[0]).toMatchObject({
      health: 'working',
      confirmed: false,
      reasons: [{ code: 'server_unconfirmed' }],
    })
  })

  test('expires events past their window, also for inactive pixels; visit results add up', async () => {
    const meta = await add('meta')
    const { cookie } = await visitor(ALL)
    await send({}, cookie)
    await untilEmpty()
    site.apis.isDown = true
    for (let count = 0; count < 3; count++) await send({}, cookie)
    const { db } = site.database
    const past = new Date(Date.now() - 1000).toISOString()
    const [one] = await db.selectFrom('deliveries').select('id').execute()
    await patch(meta.id, { is_active: false })
    await db
      .updateTable('deliveries')
      .set({ expires_at: past })
      .where('id', '=', one?.id ?? '')
      .execute()
    await expireConversions(db)
    const { rows } = await admin<VisitResults>('GET', `/pixels/${meta.id}/ledger?step=hour`)
    expect(rows.at(-1)).toMatchObject({
      events: 4,
      accepted: 1,
      waiting: 2,
      expired: 1,
      refused: 0,
      withheld: 0,
      unconfirmed: 0,
    })
    const plain = await add('meta', { delivery: 'browser', send_hashed_email: false })
    const { rows: others } = await admin<VisitResults>('GET', `/pixels/${plain.id}/ledger?step=hour`)
    expect(others.at(-1)).not.toHaveProperty('events')
  })
}
