import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { DeliveryCheck, ServedDestination } from '#contract/conversions.ts'
import type { PixelHistory } from '#contract/pixel-history.ts'
import type { Destination } from '#server/conversions/destinations/destination.ts'
import { DESTINATIONS } from '#server/conversions/destinations/destinations.ts'
import {
  ALL,
  DESTINATIONS as PIXELS,
  prepareEventSite,
  prepareVendorsAndMail,
} from '#tests/support/event-site.ts'

/** The file of a new destination: a vendor with a click ID, a cookie, a test code and no duplicates. */
const bellhop: Destination = {
  id: 'bellhop',
  name: 'Bellhop Ads',
  type: 'custom',
  who: 'o Bellhop',
  api: { url: 'https://hooks.exemplo.com.br', version: 'v1' },
  events: { page_view: null, lead: 'lead', contact: 'call', sign_up: null },
  ways: ['server', 'both'],
  form: {
    account: {
      label: 'Conta',
      pattern: /^\d{3,9}$/,
      maxLength: 9,
      refusal: 'A conta do Bellhop tem de 3 a 9 números.',
    },
    secret: {
      label: 'Chave',
      pattern: /^key-\w+$/,
      maxLength: 40,
      refusal: 'a chave começa com "key-".',
      where: 'No painel do Bellhop.',
    },
    eventId: {
      label: 'Número da regra',
      pattern: /^\d{3}$/,
      maxLength: 3,
      refusal: 'Preencha pelo menos uma regra, com 3 números.',
    },
    meanings: { server: 'Pelo servidor.', both: 'Pelos dois.' },
  },
  clickIds: ['twclid'],
  cookies: [{ name: '_bellhop', days: 30, purpose: 'Guarda o clique no anúncio.', category: 'marketing' }],
  cookiesReadBy: [],
  identify: ({ clickIds: { twclid } }) => ({
    values: twclid === undefined ? {} : { twclid },
    cookies:
      twclid === undefined ? [] : [`_bellhop=${twclid}; Path=/; Max-Age=2592000; SameSite=Lax; Secure`],
  }),
  carries: ['agent'],
  windowMs: () => 3_600_000,
  batch: 10,
  parallel: 1,
  atMostOnce: true,
  request: ({ secret, account, api, eventIds }, jobs, mode) => ({
    url: `${api.url}/${api.version}/bellhop/${account}`,
    headers: { authorization: secret },
    body: {
      test: mode?.code,
      events: jobs.map(({ event, payload: { twclid, agent, address } }) => ({
        event,
        rule: eventIds[event],
        twclid,
        agent,
        address,
      })),
    },
  }),
  // It answers for each event.
  readAnswer: (answer, sent) =>
    answer.kind === 'failed'
      ? { kind: 'retry', afterMs: null, answer: answer.code, message: 'Bellhop não respondeu.' }
      : {
          kind: 'each',
          verdicts: Array.from({ length: sent }, (_, index) => ({
            kind: 'settled',
            state: JSON.parse(answer.body || '[]')[index] === false ? 'refused' : 'accepted',
            reason: 'no',
            answer: 'HTTP',
            message: 'Bellhop respondeu.',
          })),
        },
  refusalText: (reason) => `Bellhop recusou (${reason}).`,
  test: {
    meaning: 'Envia um evento de teste.',
    code: {
      label: 'Código',
      hint: 'Do painel.',
      pattern: /^T\d+$/,
      maxLength: 9,
      refusal: 'Informe o código de teste do Bellhop.',
      missingInVisit: 'Sem código.',
    },
    ids: () => ({ twclid: 'test' }),
  },
}

/** Its row. */
beforeAll(() => void (DESTINATIONS as Destination[]).push(bellhop))
afterAll(() => void (DESTINATIONS as Destination[]).pop())

const surroundings = prepareVendorsAndMail()

describe('a new destination', () => {
  const site = prepareEventSite('sqlite', surroundings)
  const { add, admin, send, visitor, untilEmpty, counts, choose } = site
  const pixel = {
    ...PIXELS.hook,
    consent_category: 'marketing',
    webhook_url: null,
    access_token: 'key-1',
    destination_account: '482',
    event_ids: { lead: '101' },
  }

  test('has its form served', async () => {
    const served = await admin<ServedDestination[]>('GET', '/destinations')
    expect(served.map(({ id }) => id)).toEqual(DESTINATIONS.map(({ id }) => id))
    expect(served.at(-1)).toMatchObject({
      name: 'Bellhop Ads',
      deliveries: ['server', 'both'],
      account: { label: 'Conta' },
      event_id: { label: 'Número da regra', pattern: '^\\d{3}$' },
      events: { page_view: null, contact: 'call' },
      secret: { label: 'Chave', pattern: '^key-\\w+$', max_length: 40 },
      url: null,
      takes_hashed_email: false,
      confirms_later: false,
      test: { code: { label: 'Código', hint: 'Do painel.' } },
    })
    const guest = await site.app.inject({ method: 'GET', url: '/admin/api/destinations' })
    expect(guest.statusCode).toBe(401)
  })

  test('gets the events of its pixels, with its own fields only', async () => {
    const { id } = await add('hook', { ...pixel, destination: 'bellhop', access_token: 'key-1' })
    const person = await visitor(ALL)
    const answer = await send({ path: '/?twclid=abc&utm_source=x' }, person.cookie)
    expect(answer.headers['set-cookie']).toContainEqual(expect.stringMatching(/^_bellhop=abc/))
    await untilEmpty()
    const [request] = site.to('hooks.exemplo.com.br')
    expect(request).toMatchObject({ path: '/v1/bellhop/482', headers: { authorization: 'key-1' } })
    expect(request?.body.events).toEqual([
      { event: 'lead', rule: '101', twclid: 'abc', agent: expect.stringContaining('Firefox'), address: null },
    ])
    expect(await counts(id)).toEqual({ accepted: 1 })
    const withdrawn = await choose(person.id, [], `${person.cookie}; _bellhop=abc`)
    expect(withdrawn.headers['set-cookie']).toContainEqual(expect.stringMatching(/^_bellhop=; .*Max-Age=0/))
  })

  test('stores no event that it never gets, nor one without an ID', async () => {
    await add('hook', { ...pixel, destination: 'bellhop' })
    const { cookie } = await visitor(ALL)
    for (const name of ['page_view', 'contact', 'sign_up']) await send({ name }, cookie)
    expect(await site.waiting()).toBe(0)
    expect(site.apis.tunnels).toEqual([])
  })

  test('settles each event by its own answer', async () => {
    const { id } = await add('hook', { ...pixel, destination: 'bellhop' })
    site.apis.isDown = true
    const { cookie } = await visitor(ALL)
    for (let count = 0; count < 3; count++) await send({}, cookie)
    site.apis.answer = ({ body }) => ({
      status: 200,
      body: JSON.stringify(body.events.map((_: unknown, index: number) => index !== 1)),
    })
    site.apis.isDown = false
    await vi.waitFor(async () => {
      await admin('POST', `/pixels/${id}/deliveries/retry`)
      expect(await site.waiting()).toBe(0)
    }, 30_000)
    expect((await counts(id)).accepted).toBeGreaterThan(0)
    const sent = site.apis.received.map(({ body }) => body.events.length)
    const refused = sent.filter((count) => count > 1).length
    expect(await counts(id)).toEqual({ accepted: 3 - refused, ...(refused === 0 ? {} : { refused }) })
  })

  test('withholds a waiting event whose ID was removed', async () => {
    const { id } = await add('hook', { ...pixel, destination: 'bellhop', event_ids: { lead: '101' } })
    site.apis.isDown = true
    const { cookie } = await visitor(ALL)
    await send({}, cookie)
    await vi.waitFor(async () => expect(site.apis.tunnels.length).toBeGreaterThan(0), 30_000)
    await site.patch(id, { event_ids: { contact: '102' } })
    site.apis.isDown = false
    await admin('POST', `/pixels/${id}/deliveries/retry`)
    await untilEmpty()
    expect(site.apis.received).toEqual([])
    expect(await site.counts(id)).toEqual({ withheld: 1 })
  })

  test('is refused, tested and named with its own texts', async () => {
    const refusal = async (change: object) => {
      const answer = await site.app.inject({
        method: 'POST',
        url: '/rest/v1/tracking_pixels',
        headers: site.headers,
        payload: { ...pixel, destination: 'bellhop', ...change },
      })
      expect(answer.statusCode).toBe(400)
      return answer.json().message
    }
    expect(await refusal({ access_token: 'x' })).toBe('Chave: a chave começa com "key-".')
    expect(await refusal({ destination_account: 'a' })).toBe('A conta do Bellhop tem de 3 a 9 números.')
    expect(await refusal({ destination_account: null })).toBe('A conta do Bellhop tem de 3 a 9 números.')
    for (const event_ids of [null, {}, { lead: 'x' }])
      expect(await refusal({ event_ids })).toBe('Preencha pelo menos uma regra, com 3 números.')
    expect(await refusal({ event_ids: { purchase: '101' } })).toContain('event_ids')
    expect(await refusal({ ...PIXELS.hook, destination: 'webhook' })).toContain('conta na plataforma')
    expect(await refusal({ ...PIXELS.hook, destination: 'webhook', destination_account: null })).toContain(
      'números de conversão',
    )
    const { id } = await add('hook', { ...pixel, destination: 'bellhop' })
    const check = await admin<DeliveryCheck>('POST', `/pixels/${id}/check`, { test_event_code: 'T1' })
    expect(check).toMatchObject({
      state: 'accepted',
      request: { body: { test: 'T1', events: [{ twclid: 'test' }] } },
    })
    await site.patch(id, {
      destination: 'webhook',
      webhook_url: PIXELS.hook.webhook_url,
      access_token: PIXELS.hook.access_token,
    })
    const { versions } = await admin<PixelHistory>('GET', `/pixels/${id}/history`)
    expect(versions[0]?.changes).toContainEqual(
      expect.objectContaining({ label: 'Plataforma', before: 'Bellhop Ads', after: 'Webhook' }),
    )
  })

  test('does not inherit the secret of the destination before it', async () => {
    const { id } = await add('hook')
    await site.patch(id, { delivery: 'browser', webhook_url: null, destination: 'bellhop' })
    const row = await site.database.db
      .selectFrom('tracking_pixels')
      .select('has_access_token')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.has_access_token).toBe(false)
  })
})
