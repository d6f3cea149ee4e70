import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { DeliveryCheck, PixelDeliveries } from '#contract/conversions.ts'
import { SERVER_EVENTS, type ServerEventName } from '#contract/server-event.ts'
import { judgeAnswer } from '#server/conversions/destinations/destination.ts'
import { pinterest } from '#server/conversions/destinations/pinterest.ts'
import {
  fail,
  type Heard,
  say,
  sendTogether,
  testConsentOf,
  textOf,
} from '#tests/support/destination-cases.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { ADDRESS, AGENT, ALL, prepareEventSite, prepareVendorsAndMail } from '#tests/support/event-site.ts'
import { pinterestPixel as PIXEL } from '#tests/support/vendor-apis/pinterest.ts'

const surroundings = prepareVendorsAndMail()

const VISITOR = '7f3c2a10-9b4e-4c58-8e21-0d6a5b1c9e77'

describe.each(TIER_ENGINES)('Pinterest, on %s', (engine) => {
  const site = prepareEventSite(engine, surroundings)
  const { addRow, admin, send, visitor, untilEmpty, counts, to } = site
  const HOST = 'api.pinterest.com'

  test.each([
    ['user agent', { 'user-agent': '' }],
    ['public address', { 'x-forwarded-for': '10.0.0.7' }],
  ])('stores no event that it would refuse for want of a %s', async (_what, change) => {
    await addRow(PIXEL)
    site.apis.isDown = true
    const { cookie } = await visitor(ALL)
    expect((await send({}, cookie, change)).statusCode).toBe(204)
    expect(await site.waiting()).toBe(0)
  })

  test.each<[ServerEventName, string, string | undefined]>([
    ['page_view', 'page_visit', undefined],
    ['lead', 'lead', 'abrir_conta'],
    ['contact', 'contact', 'whatsapp'],
    ['sign_up', 'signup', 'newsletter'],
  ])('gets %s, field by field', async (name, event_name, content_name) => {
    await addRow(PIXEL)
    const { cookie } = await visitor(ALL)
    const id = randomUUID()
    const before = Math.floor(Date.now() / 1000)
    await send(
      { id, name, title: 'Início', path: '/?utm_source=pin&epik=dj0yJnU9&gclid=g1&ttclid=t1&cpf=1' },
      `${cookie}; portico_visitor=${VISITOR}`,
    )
    await untilEmpty()
    const [request, ...others] = to(HOST)
    expect(others).toEqual([])
    expect(request).toMatchObject({
      path: '/v5/ad_accounts/549755885175/events',
      headers: { authorization: 'Bearer good-token', 'content-type': 'application/json' },
    })
    expect(request?.body).toEqual({
      data: [
        {
          event_name,
          action_source: 'web',
          event_time: expect.any(Number),
          event_id: id,
          event_source_url: 'https://www.exemplo.com.br/?utm_source=pin',
          partner_name: 'direct',
          user_data: {
            client_ip_address: ADDRESS,
            client_user_agent: AGENT,
            click_id: 'dj0yJnU9',
            external_id: ['65c9636fdef36cd50720899adc764cfe2357664c63c990b5b166d7214ee9affc'],
          },
          ...(content_name === undefined ? {} : { custom_data: { content_name } }),
        },
      ],
    })
    expect(request?.body.data[0].event_time).toBeGreaterThanOrEqual(before)
  })

  testConsentOf(site, { pixel: PIXEL, host: HOST, events: SERVER_EVENTS, cookie: 'portico_pinterest' })

  test('sends no page view beside the tag in the page', async () => {
    const { id } = await addRow({ ...PIXEL, delivery: 'both', code: '' })
    const { cookie } = await visitor(ALL)
    for (const name of SERVER_EVENTS) await send({ name }, cookie)
    await untilEmpty()
    expect(await counts(id)).toEqual({ accepted: 3 })
  })

  test('settles each of three events by its own answer', async () => {
    const { id } = await addRow(PIXEL)
    site.apis.answer = ({ body }) => ({
      status: 200,
      body: JSON.stringify({
        num_events_received: body.data.length,
        num_events_processed: body.data.length - 1,
        events: body.data.map((_: unknown, index: number) => ({
          status: index === 1 ? 'failed' : 'processed',
          error_message: index === 1 ? 'bad 189.6.10.20' : '',
          warning_message: index === 2 ? 'click_id is missing' : '',
        })),
      }),
    })
    await sendTogether(site, id, 3)
    await untilEmpty()
    expect(to(HOST).map(({ body }) => body.data.length)).toEqual([3])
    expect(await counts(id)).toEqual({ accepted: 2, refused: 1 })
    const { refusals } = await admin<PixelDeliveries>('GET', `/pixels/${id}/deliveries`)
    expect(refusals).toEqual([
      {
        reason: 'failed',
        message: 'O Pinterest não processou o evento. Se continuar, avise a equipe de TI.',
        count: 1,
      },
    ])
  })

  test('is tried with a test event that Pinterest does not record', async () => {
    const { id } = await addRow(PIXEL)
    const check = await admin<DeliveryCheck>('POST', `/pixels/${id}/check`, {})
    expect(check).toMatchObject({ state: 'accepted', message: 'O Pinterest aceitou o evento.' })
    expect(to(HOST)[0]?.path).toBe('/v5/ad_accounts/549755885175/events?test=true')
    expect(JSON.stringify(check)).not.toContain('good-token')
    const draft = { type: 'custom', destination: 'pinterest', pixel_id: null, access_token: 'bad--token' }
    expect(
      await admin<DeliveryCheck>('POST', '/pixels/check', { ...draft, destination_account: '549755885175' }),
    ).toMatchObject({ state: 'refused', message: expect.stringContaining('recusou o token de conversão') })
  })

  test.each([
    [{ destination_account: 'abc' }, 'ID da conta de anúncios'],
    [{ destination_account: null }, 'ID da conta de anúncios'],
    [{ access_token: 'com espaço' }, 'Token de conversão'],
    [{ access_token: null }, 'Token de conversão'],
    [{ webhook_url: 'https://hooks.exemplo.com.br/' }, 'webhook'],
    [{ event_ids: { lead: '1' } }, 'números de conversão'],
  ])('refuses %j', async (change, words) => {
    const answer = await site.app.inject({
      method: 'POST',
      url: '/rest/v1/tracking_pixels',
      headers: site.headers,
      payload: { ...PIXEL, ...change },
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().message).toContain(words)
  })
})

const taken = (...events: object[]) => ({ num_events_received: events.length, events })
const processed = { status: 'processed', error_message: '', warning_message: '' }

test.each<[string, Heard, object, string]>([
  ['200', say(200, taken(processed)), { kind: 'each', verdicts: [{ state: 'accepted' }] }, 'aceitou'],
  [
    '200 with a warning',
    say(200, taken({ ...processed, warning_message: 'echo' })),
    { kind: 'each', verdicts: [{ state: 'accepted' }] },
    'incompletos',
  ],
  [
    '200, failed',
    say(200, taken({ status: 'failed', error_message: 'echo' })),
    { kind: 'each', verdicts: [{ state: 'refused', reason: 'failed' }] },
    'não processou',
  ],
  ['200 for fewer events', say(200, taken()), { kind: 'retry', afterMs: null }, 'instável'],
  ['200 with another body', say(200, '<html>'), { kind: 'retry', afterMs: null }, 'instável'],
  ['400', say(400, { code: 4196, message: 'echo' }), { state: 'refused', reason: '4196' }, '4196'],
  ['422', say(422, { code: 4196, details: 'echo' }), { state: 'refused', reason: '4196' }, '4196'],
  ['404', say(404, ''), { state: 'refused', reason: 'HTTP 404' }, 'HTTP 404'],
  ['401', say(401, { code: 2 }), { kind: 'stop', code: 'token_refused' }, 'novo token'],
  ['403', say(403, { code: 29 }), { kind: 'stop', code: 'not_permitted' }, 'não tem acesso'],
  [
    '429',
    say(429, { code: 8 }, { 'x-ratelimit-reset': '30' }),
    { kind: 'retry', afterMs: 30_000 },
    'limitou',
  ],
  ['429 without headers', say(429, ''), { kind: 'retry', afterMs: null }, 'limitou'],
  ['503', say(503, { code: 4197 }), { kind: 'retry', afterMs: null }, 'instável'],
  ['500', say(500, '<html>'), { kind: 'retry', afterMs: null }, 'instável'],
  ['a time-out', fail('ETIMEDOUT', true), { kind: 'retry' }, 'instável'],
  ['no connection', fail('ENOTFOUND', false), { kind: 'retry' }, 'Não foi possível conectar'],
])("reads Pinterest's answer: %s", (_what, answer, verdict, words) => {
  const read = judgeAnswer(pinterest, answer, 1)
  expect(read).toMatchObject(verdict)
  expect(textOf(read)).toContain(words)
  expect(JSON.stringify(read)).not.toContain('echo')
})

test('splits a refused request, and sends an interrupted one again', () => {
  for (const status of [400, 422])
    expect(judgeAnswer(pinterest, say(status, { code: 4196 }), 3)).toMatchObject({ kind: 'split' })
  expect(judgeAnswer(pinterest, { kind: 'interrupted', written: true }, 1)).toEqual({ kind: 'interrupted' })
})
