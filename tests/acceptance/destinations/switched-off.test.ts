import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import type { CreatedOutcomeKey, OutcomeReport } from '#contract/outcomes.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { ALL, prepareEventSite, prepareVendorsAndMail } from '#tests/support/event-site.ts'
import { linkedinPixel } from '#tests/support/vendor-apis/linkedin.ts'

const surroundings = prepareVendorsAndMail()

describe.each(TIER_ENGINES)('an event that is switched off while it waits, on %s', (engine) => {
  const site = prepareEventSite(engine, surroundings)
  const call = (method: 'POST' | 'PUT', url: string, headers: object, payload: object) =>
    site.app.inject({ method, url, headers: headers as Record<string, string>, payload })

  /** Made due again until the queue is empty. */
  const untilSettled = (pixelId: string) =>
    vi.waitFor(async () => {
      await site.admin('POST', `/pixels/${pixelId}/deliveries/retry`)
      expect(await site.waiting()).toBe(0)
    }, 30_000)

  const lastMessage = (pixelId: string) =>
    site.database.db
      .selectFrom('delivery_log')
      .select(['state', 'message'])
      .where('pixel_id', '=', pixelId)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()

  const OFF = { state: 'withheld', message: expect.stringContaining('desligado') }

  test('of the page is withheld at the next attempt, and counted', async () => {
    const { id } = await site.addRow(linkedinPixel)
    site.apis.isDown = true
    await site.send({ name: 'lead' }, (await site.visitor(ALL)).cookie)
    expect(await site.waiting()).toBe(1)
    await site.patch(id, { event_ids: { contact: '104013' } })
    await untilSettled(id)
    expect(await site.counts(id)).toEqual({ withheld: 1 })
    expect(await lastMessage(id)).toMatchObject(OFF)
    expect(site.apis.received).toEqual([])
  })

  test('of the customer’s own system is withheld at the next attempt, and counted', async () => {
    const { id } = await site.add('meta')
    const name = `venda_${engine}`
    await site.admin('POST', '/outcomes/names', { name, label: name })
    const { key } = await site.admin<CreatedOutcomeKey>('POST', '/outcomes/keys', {
      name: 'Loja',
      mode: 'live',
    })
    const map = async (event: string | null) =>
      expect(
        (
          await call('PUT', `/admin/api/outcomes/names/${name}/destinations/${id}`, site.headers, {
            event,
            sends_value: false,
          })
        ).statusCode,
      ).toBe(204)
    await map('Venda')
    const { cookie } = await site.visitor(ALL)
    const code = `v_${randomUUID().replaceAll('-', '')}`
    await call(
      'POST',
      '/api/visits',
      { cookie, origin: 'https://www.exemplo.com.br' },
      { code, query: '?fbclid=FCLICK' },
    )
    site.apis.isDown = true
    await call(
      'POST',
      '/api/outcomes',
      { authorization: `Bearer ${key}` },
      { name, id: randomUUID(), visit: code },
    )
    expect(await site.waiting()).toBe(1)
    await map(null)
    await untilSettled(id)
    const { rows } = await site.admin<OutcomeReport>('GET', '/outcomes?days=7')
    const row = rows.find((each) => each.name === name)
    expect(row?.deliveries.find(({ pixel_id }) => pixel_id === id)?.states).toMatchObject({
      waiting: 0,
      withheld: 1,
    })
    expect(await lastMessage(id)).toMatchObject(OFF)
    expect(site.apis.received).toEqual([])
  })
})
