import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
  ways: ['server', 'both'],
  form: {
    secret: { label: 'Chave', pattern: /^key-\w+$/, maxLength: 40, refusal: 'a chave começa com "key-".' },
  },
  clickIds: ['bhclid'],
  cookies: [{ name: '_bellhop', days: 30, purpose: 'Guarda o clique no anúncio.', category: 'marketing' }],
  cookiesReadBy: [],
  identify: ({ clickIds: { bhclid } }) => ({
    values: bhclid === undefined ? {} : { bhclid },
    cookies:
      bhclid === undefined ? [] : [`_bellhop=${bhclid}; Path=/; Max-Age=2592000; SameSite=Lax; Secure`],
  }),
  carries: ['agent'],
  windowMs: () => 3_600_000,
  batch: 10,
  parallel: 1,
  atMostOnce: true,
  request: ({ secret }, jobs, mode) => ({
    url: 'https://hooks.exemplo.com.br/bellhop',
    headers: { authorization: secret },
    body: {
      test: mode?.code,
      events: jobs.map(({ event, payload: { bhclid, agent, address } }) => ({
        event,
        bhclid,
        agent,
        address,
      })),
    },
  }),
  readAnswer: (answer) => ({
    kind: 'settled',
    state: answer.kind === 'answer' && answer.status === 200 ? 'accepted' : 'refused',
    reason: 'no',
    answer: 'HTTP',
    message: 'Bellhop respondeu.',
  }),
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
    ids: () => ({ bhclid: 'test' }),
  },
}

/** Its row. */
beforeAll(() => void (DESTINATIONS as Destination[]).push(bellhop))
afterAll(() => void (DESTINATIONS as Destination[]).pop())

const surroundings = prepareVendorsAndMail()

describe('a new destination', () => {
  const site = prepareEventSite('sqlite', surroundings)
  const { add, admin, send, visitor, untilEmpty, counts, choose } = site
  const pixel = { ...PIXELS.hook, consent_category: 'marketing', webhook_url: null, access_token: 'key-1' }

  test('has its form served', async () => {
    const served = await admin<ServedDestination[]>('GET', '/destinations')
    expect(served.map(({ id }) => id)).toEqual(['meta', 'google_analytics', 'webhook', 'bellhop'])
    expect(served.at(-1)).toMatchObject({
      name: 'Bellhop Ads',
      deliveries: ['server', 'both'],
      account: null,
      secret: { label: 'Chave', pattern: '^key-\\w+$', max_length: 40 },
      url: null,
      takes_hashed_email: false,
      test: { code: { label: 'Código', hint: 'Do painel.' } },
    })
    const guest = await site.app.inject({ method: 'GET', url: '/admin/api/destinations' })
    expect(guest.statusCode).toBe(401)
  })

  test('gets the events of the pixels that name it, and what it asks for alone', async () => {
    const { id } = await add('hook', { ...pixel, destination: 'bellhop', access_token: 'key-1' })
    const person = await visitor(ALL)
    const answer = await send({ path: '/?bhclid=abc&utm_source=x' }, person.cookie)
    expect(answer.headers['set-cookie']).toContainEqual(expect.stringMatching(/^_bellhop=abc/))
    await untilEmpty()
    const [request] = site.to('hooks.exemplo.com.br')
    expect(request).toMatchObject({ path: '/bellhop', headers: { authorization: 'key-1' } })
    expect(request?.body.events).toEqual([
      { event: 'lead', bhclid: 'abc', agent: expect.stringContaining('Firefox'), address: null },
    ])
    expect(await counts(id)).toEqual({ accepted: 1 })
    const withdrawn = await choose(person.id, [], `${person.cookie}; _bellhop=abc`)
    expect(withdrawn.headers['set-cookie']).toContainEqual(expect.stringMatching(/^_bellhop=; .*Max-Age=0/))
  })

  test('is refused, tested and named in its own words', async () => {
    const refused = await site.app.inject({
      method: 'POST',
      url: '/rest/v1/tracking_pixels',
      headers: site.headers,
      payload: { ...pixel, destination: 'bellhop', access_token: 'x' },
    })
    expect(refused.json().message).toBe('Chave: a chave começa com "key-".')
    const { id } = await add('hook', { ...pixel, destination: 'bellhop' })
    const check = await admin<DeliveryCheck>('POST', `/pixels/${id}/check`, { test_event_code: 'T1' })
    expect(check).toMatchObject({
      state: 'accepted',
      request: { body: { test: 'T1', events: [{ bhclid: 'test' }] } },
    })
    await site.patch(id, {
      destination: 'webhook',
      webhook_url: PIXELS.hook.webhook_url,
      access_token: PIXELS.hook.access_token,
    })
    const { versions } = await admin<PixelHistory>('GET', `/pixels/${id}/history`)
    expect(versions[0]?.changes).toContainEqual(
      expect.objectContaining({ label: 'Destino', before: 'Bellhop Ads', after: 'Webhook' }),
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
