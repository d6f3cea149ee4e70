import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import type { DeliveryCheck, PixelDeliveries } from '#contract/conversions.ts'
import { SERVER_EVENTS, type ServerEventName } from '#contract/server-event.ts'
import type { CreatedTest, TagTest } from '#contract/tag-test.ts'
import { judgeAnswer } from '#server/conversions/destinations/destination.ts'
import { tiktok } from '#server/conversions/destinations/tiktok.ts'
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
import { tiktokPixel as PIXEL } from '#tests/support/vendor-apis/tiktok.ts'

const surroundings = prepareVendorsAndMail()

const VISITOR = '7f3c2a10-9b4e-4c58-8e21-0d6a5b1c9e77'

describe.each(TIER_ENGINES)('TikTok, on %s', (engine) => {
  const site = prepareEventSite(engine, surroundings)
  const { addRow, admin, send, visitor, untilEmpty, counts, to } = site
  const HOST = 'business-api.tiktok.com'

  test.each<[ServerEventName, string, string | undefined]>([
    ['page_view', 'Pageview', undefined],
    ['lead', 'Lead', 'abrir_conta'],
    ['contact', 'Contact', 'whatsapp'],
    ['sign_up', 'CompleteRegistration', 'newsletter'],
  ])('gets %s, field by field', async (name, event, description) => {
    await addRow(PIXEL)
    const { cookie } = await visitor(ALL)
    const id = randomUUID()
    await send(
      { id, name, title: 'Início', path: '/?utm_source=tt&ttclid=E.C.P.example&gclid=g1&epik=e1&cpf=1' },
      `${cookie}; portico_visitor=${VISITOR}; _ttp=01JABCDEFGHJKMNPQRSTVWXYZ0`,
    )
    await untilEmpty()
    const [request, ...others] = to(HOST)
    expect(others).toEqual([])
    expect(request).toMatchObject({
      path: '/open_api/v1.3/event/track/',
      headers: { 'access-token': 'good-token', 'content-type': 'application/json' },
    })
    expect(request?.headers.authorization).toBeUndefined()
    expect(request?.body).toEqual({
      event_source: 'web',
      event_source_id: 'C1ABCDEF2GHIJKLMNOP0',
      data: [
        {
          event,
          event_time: expect.any(Number),
          event_id: id,
          user: {
            ttclid: 'E.C.P.example',
            ttp: '01JABCDEFGHJKMNPQRSTVWXYZ0',
            ip: ADDRESS,
            user_agent: AGENT,
            external_id: '65c9636fdef36cd50720899adc764cfe2357664c63c990b5b166d7214ee9affc',
          },
          page: { url: 'https://www.exemplo.com.br/?utm_source=tt' },
          ...(description === undefined ? {} : { properties: { description } }),
        },
      ],
    })
  })

  test('invents no browser ID where TikTok’s script never ran, and remembers the click', async () => {
    await addRow(PIXEL)
    const { cookie } = await visitor(ALL)
    await send({}, `${cookie}; portico_tiktok=ttclid.E.C.P.before`)
    await untilEmpty()
    expect(to(HOST)[0]?.body.data[0].user).toMatchObject({ ttclid: 'E.C.P.before' })
    expect(to(HOST)[0]?.body.data[0].user).not.toHaveProperty('ttp')
  })

  testConsentOf(site, { pixel: PIXEL, host: HOST, events: SERVER_EVENTS, cookie: 'portico_tiktok' })

  test('finds the bad event of a refused request', async () => {
    const { id } = await addRow(PIXEL)
    let bad: string | undefined
    site.apis.answer = ({ body }) => {
      bad ??= body.data[1]?.event_id
      return body.data.some((event: { event_id: string }) => event.event_id === bad)
        ? { status: 400, body: '{"code":40002,"message":"data.1.event_time: 189.6.10.20"}' }
        : undefined
    }
    await sendTogether(site, id, 4)
    await untilEmpty()
    expect(await counts(id)).toEqual({ accepted: 3, refused: 1 })
    const shown = await admin<PixelDeliveries>('GET', `/pixels/${id}/deliveries`)
    expect(shown.refusals).toEqual([
      {
        reason: '40002',
        message: 'O TikTok recusou o formato do evento (código 40002). Avise a equipe de TI.',
        count: 1,
      },
    ])
    expect(JSON.stringify(shown)).not.toContain('189.6')
  })

  test('is tried with a test code, and never without one', async () => {
    const { id } = await addRow(PIXEL)
    const check = await admin<DeliveryCheck>('POST', `/pixels/${id}/check`, { test_event_code: 'TEST90417' })
    expect(check).toMatchObject({
      state: 'accepted',
      request: { body: { test_event_code: 'TEST90417', data: [{ event: 'Lead' }] } },
    })
    expect(JSON.stringify(check)).not.toContain('good-token')
    const url = `/admin/api/pixels/${id}/check`
    const without = await site.app.inject({ method: 'POST', url, headers: site.headers, payload: {} })
    expect([without.statusCode, without.json().message]).toEqual([
      400,
      expect.stringContaining('código de teste'),
    ])
    expect(to(HOST)).toHaveLength(1)
    await site.patch(id, { access_token: 'bad--token' })
    expect(
      await admin<DeliveryCheck>('POST', `/pixels/${id}/check`, { test_event_code: 'TEST90417' }),
    ).toMatchObject({ state: 'refused', message: expect.stringContaining('recusou o token') })
  })

  test('gets the events of a test visit with its test code, and none without one', async () => {
    const { id: pixel } = await addRow(PIXEL)
    const set = /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text())?.[1] ?? ''
    const post = (url: string, payload: object) => site.app.inject({ method: 'POST', url, payload })
    const visit = async (test_event_code: string) => {
      const created = await admin<CreatedTest>('POST', `/pixels/${pixel}/tests`, { test_event_code })
      const { key } = (await post('/api/tag-tests', { token: created.url.split('=')[1], set })).json()
      const steps = [
        { kind: 'chosen', ok: true, at: 1 },
        { kind: 'conversion', conversion: 'lead', id: randomUUID(), at: 2 },
      ]
      expect((await post('/api/tag-tests/steps', { key, steps })).statusCode).toBe(204)
      return vi.waitFor(async () => {
        const test = await admin<TagTest>('GET', `/pixels/${pixel}/tests/${created.id}`)
        expect(test.awaits_copies).toBe(false)
        return test.steps.flatMap(({ copy }) => copy ?? [])
      }, 30_000)
    }
    const unsent = { check: null, message: expect.stringContaining('TEST90417') }
    expect(await visit('')).toMatchObject([unsent, unsent])
    expect(to(HOST)).toEqual([])
    const accepted = { check: { state: 'accepted' } }
    expect(await visit('TEST90417')).toMatchObject([accepted, accepted])
    expect(
      to(HOST)
        .map(({ body }) => `${body.test_event_code} ${body.data[0].event}`)
        .sort(),
    ).toEqual(['TEST90417 Lead', 'TEST90417 Pageview'])
    expect(await counts(pixel)).toEqual({})
  })

  test.each([
    [{ destination_account: 'c1abcdef2ghijklmnop0' }, 'ID do pixel do TikTok'],
    [{ destination_account: null }, 'ID do pixel do TikTok'],
    [{ access_token: 'com espaço' }, 'Token de acesso'],
    [{ access_token: null }, 'Token de acesso'],
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

const code = (code: number) => ({ code, message: 'echo', request_id: '1' })

test.each<[number, number, object, string]>([
  [200, 0, { state: 'accepted' }, 'aceitou'],
  [200, 20_001, { state: 'unconfirmed' }, 'em parte'],
  [401, 40_001, { kind: 'stop', code: 'not_permitted' }, 'permissão'],
  [400, 40_000, { state: 'refused', reason: '40000' }, '40000'],
  [400, 40_002, { state: 'refused', reason: '40002' }, '40002'],
  [400, 40_061, { state: 'refused', reason: '40061' }, '40061'],
  [400, 40_062, { state: 'refused', reason: '40062' }, 'hash'],
  [400, 40_063, { state: 'refused', reason: '40063' }, '40063'],
  ...[40_102, 40_104, 40_105, 40_113, 40_117].map((code): [number, number, object, string] => [
    200,
    code,
    { kind: 'stop', code: 'token_refused' },
    'novo token',
  ]),
  ...[40_100, 40_132, 61_000].map((code): [number, number, object, string] => [
    200,
    code,
    { kind: 'retry', afterMs: null },
    'limitou',
  ]),
  ...[40_006, 40_051, 41_001].map((code): [number, number, object, string] => [
    404,
    code,
    { kind: 'stop', code: 'version_ended' },
    'versão',
  ]),
  ...[50_000, 50_002, 51_001, 52_000, 60_001].map((code): [number, number, object, string] => [
    200,
    code,
    { kind: 'retry', afterMs: null },
    'instável',
  ]),
])("reads TikTok's answer: %i with code %i", (status, number, verdict, words) => {
  const read = judgeAnswer(tiktok, say(status, code(number)), 1)
  expect(read).toMatchObject({ ...verdict, answer: `HTTP ${status} · ${number}` })
  expect(textOf(read)).toContain(words)
  expect(JSON.stringify(read)).not.toContain('echo')
})

test.each<[string, Heard, string]>([
  ['HTML', say(502, '<html>'), 'instável'],
  ['200 without a code', say(200, '{}'), 'instável'],
  ['a time-out', fail('ETIMEDOUT', true), 'instável'],
  ['no connection', fail('ENOTFOUND', false), 'Não foi possível conectar'],
])("reads TikTok's answer: %s", (_what, answer, words) => {
  const read = judgeAnswer(tiktok, answer, 1)
  expect(read).toMatchObject({ kind: 'retry', afterMs: null })
  expect(textOf(read)).toContain(words)
})

test('splits what may be the fault of one event', () => {
  for (const number of [20_001, 40_000, 40_002, 40_061])
    expect(judgeAnswer(tiktok, say(400, code(number)), 2)).toMatchObject({ kind: 'split' })
  expect(judgeAnswer(tiktok, say(200, code(40_105)), 2)).toMatchObject({ kind: 'stop' })
})
