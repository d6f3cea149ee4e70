import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { CONVERSIONS, type DeliveryCheck } from '#contract/conversions.ts'
import { judgeAnswer, type Target } from '#server/conversions/destinations/destination.ts'
import { linkedin } from '#server/conversions/destinations/linkedin.ts'
import { fail, type Heard, say, testConsentOf, textOf } from '#tests/support/destination-cases.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { ADDRESS, ALL, prepareEventSite, prepareVendorsAndMail } from '#tests/support/event-site.ts'
import { linkedinPixel as PIXEL } from '#tests/support/vendor-apis/linkedin.ts'

const surroundings = prepareVendorsAndMail()

describe.each(TIER_ENGINES)('LinkedIn, on %s', (engine) => {
  const site = prepareEventSite(engine, surroundings)
  const { addRow, admin, send, visitor, untilEmpty, counts, to } = site
  const HOST = 'api.linkedin.com'

  test.each(CONVERSIONS)('gets %s under its rule, field by field', async (name) => {
    await addRow(PIXEL)
    const { cookie } = await visitor(ALL)
    const id = randomUUID()
    const before = Date.now()
    await send({ id, name, path: '/?utm_source=in&li_fat_id=df5a0b1c-0001&gclid=g1&ttclid=t1&cpf=1' }, cookie)
    await untilEmpty()
    const [request, ...others] = to(HOST)
    expect(others).toEqual([])
    expect(request).toMatchObject({
      path: '/rest/conversionEvents',
      headers: {
        authorization: 'Bearer good-token',
        'linkedin-version': '202608',
        'x-restli-protocol-version': '2.0.0',
        'content-type': 'application/json',
      },
    })
    expect(request?.body).toEqual({
      conversion: `urn:lla:llaPartnerConversion:${PIXEL.event_ids[name]}`,
      conversionHappenedAt: expect.any(Number),
      eventId: id,
      user: {
        userIds: [
          { idType: 'LINKEDIN_FIRST_PARTY_ADS_TRACKING_UUID', idValue: 'df5a0b1c-0001' },
          { idType: 'PLAINTEXT_IP_ADDRESS', idValue: ADDRESS },
        ],
      },
    })
    expect(request?.body.conversionHappenedAt).toBeGreaterThanOrEqual(before)
  })

  test('gets no page view, no event without a rule, and no IPv6 address', async () => {
    await addRow({ ...PIXEL, event_ids: { lead: '104012' } })
    const { cookie } = await visitor(ALL)
    for (const name of ['page_view', 'contact', 'sign_up']) await send({ name }, cookie)
    expect(await site.waiting()).toBe(0)
    await send({}, cookie, { 'x-forwarded-for': '2001:4860:4860::8888' })
    await untilEmpty()
    expect(to(HOST).map(({ body }) => body.user)).toEqual([{ userIds: [] }])
  })

  testConsentOf(site, { pixel: PIXEL, host: HOST, events: CONVERSIONS, cookie: 'portico_linkedin' })

  test('never gets an event again whose answer was lost, but does after 429', async () => {
    const { id } = await addRow(PIXEL)
    const { cookie } = await visitor(ALL)
    site.apis.answer = () => 'reset'
    await send({}, cookie)
    await untilEmpty()
    expect(await counts(id)).toEqual({ unconfirmed: 1 })
    expect(to(HOST)).toHaveLength(1)
    let isLimited = true
    site.apis.answer = () => {
      if (!isLimited) return undefined
      isLimited = false
      return { status: 429 }
    }
    await send({}, cookie)
    await untilEmpty()
    expect(await counts(id)).toEqual({ unconfirmed: 1, accepted: 1 })
    expect(to(HOST)).toHaveLength(3)
  })

  test('is checked here, because a test event would count', async () => {
    const { id } = await addRow(PIXEL)
    const check = await admin<DeliveryCheck>('POST', `/pixels/${id}/check`, {})
    expect(check).toMatchObject({
      state: 'unconfirmed',
      checked_here: true,
      response: null,
      request: { body: { conversion: 'urn:lla:llaPartnerConversion:104012' } },
      message: expect.stringContaining('nada é enviado'),
    })
    expect(site.apis.tunnels).toEqual([])
    expect(JSON.stringify(check)).not.toContain('good-token')
  })

  test.each([
    [{ event_ids: null }, 'pelo menos uma regra'],
    [{ event_ids: { lead: 'abc' } }, 'pelo menos uma regra'],
    [{ destination_account: '123' }, 'conta na plataforma'],
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

test.each<[string, Heard, object, string]>([
  ['201', say(201), { state: 'accepted' }, 'aceitou'],
  ['200', say(200, { elements: [{ status: 201 }] }), { state: 'accepted' }, 'aceitou'],
  ['no version', say(400, { code: 'VERSION_MISSING' }), { kind: 'stop', code: 'version_ended' }, 'versão'],
  ['too old', say(400, { message: 'echo' }), { state: 'refused', reason: 'HTTP 400' }, '90 dias'],
  ...['INVALID_ACCESS_TOKEN', 'REVOKED_ACCESS_TOKEN', 'EMPTY_ACCESS_TOKEN'].map(
    (code): [string, Heard, object, string] => [
      code,
      say(401, { code, serviceErrorCode: 65_600, message: 'echo' }),
      { kind: 'stop', code: 'token_refused', answer: `HTTP 401 · ${code}` },
      'novo token',
    ],
  ),
  [
    '403',
    say(403, { message: 'echo' }),
    { kind: 'stop', code: 'not_permitted' },
    'regra de conversão ou o token',
  ],
  ['422', say(422, { message: 'echo' }), { state: 'refused', reason: 'HTTP 422' }, 'formato'],
  ['426', say(426), { kind: 'stop', code: 'version_ended' }, 'DESTINATION_APIS'],
  ['429', say(429, '', { 'retry-after': '60' }), { kind: 'retry', afterMs: 60_000 }, 'limitou'],
  ['429 without a time', say(429), { kind: 'retry', afterMs: null }, 'limitou'],
  ['500', say(500, '<html>'), { kind: 'retry', afterMs: null }, 'instável'],
  ['an answer that was lost', fail('ETIMEDOUT', true), { state: 'unconfirmed' }, 'pode ter chegado'],
  ['no connection', fail('ENOTFOUND', false), { kind: 'retry' }, 'Não foi possível conectar'],
])("reads LinkedIn's answer: %s", (_what, answer, verdict, words) => {
  const read = judgeAnswer(linkedin, answer, 1)
  expect(read).toMatchObject(verdict)
  expect(textOf(read)).toContain(words)
  expect(JSON.stringify(read)).not.toContain('echo')
})

test.each([
  [{ eventIds: {} }, 'regra'],
  [{ api: { url: 'https://api.linkedin.com', version: 'v1' } }, 'DESTINATION_APIS'],
])('finds a fault of %j before anything is sent', (change, words) => {
  const target: Target = {
    destination: linkedin,
    account: '',
    secret: 'good-token',
    url: null,
    sendsEmail: false,
    siteUrl: 'https://www.exemplo.com.br',
    api: { url: 'https://api.linkedin.com', version: '202608' },
    eventIds: { lead: '104012' },
    ...change,
  }
  const payload = { at: Date.now(), path: '/', address: ADDRESS, agent: null, marketing: true, visitor: '' }
  const job = { event: 'lead', event_id: randomUUID(), payload } as Parameters<typeof linkedin.request>[1][0]
  expect(linkedin.test.checkHere?.(linkedin.request(target, [job]))).toContain(words)
})
