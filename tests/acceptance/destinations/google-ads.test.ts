import { randomUUID } from 'node:crypto'
import { jwtVerify } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import { CONVERSIONS, type DeliveryCheck, type PixelDeliveries } from '#contract/conversions.ts'
import { judgeAnswer } from '#server/conversions/destinations/destination.ts'
import { googleAds } from '#server/conversions/destinations/google-ads.ts'
import { fail, type Heard, say, testConsentOf, textOf } from '#tests/support/destination-cases.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { ALL, prepareEventSite, prepareVendorsAndMail } from '#tests/support/event-site.ts'
import {
  googleKeyOf,
  googlePublicKey,
  googleAdsPixel as PIXEL,
} from '#tests/support/vendor-apis/google-ads.ts'

const surroundings = prepareVendorsAndMail()

const CUT_KEY = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----'
describe.each(TIER_ENGINES)('Google Ads, on %s', (engine) => {
  const site = prepareEventSite(engine, surroundings)
  const { addRow, admin, send, visitor, untilEmpty, counts, to } = site
  const HOST = 'datamanager.googleapis.com'
  const TOKENS = 'oauth2.googleapis.com'

  test.each(CONVERSIONS)('gets %s under its action, field by field', async (name) => {
    await addRow(PIXEL)
    const { cookie } = await visitor(ALL)
    const id = randomUUID()
    await send(
      { id, name, path: '/?utm_source=g&gclid=Cj0KCQexample&wbraid=w1&dclid=d1&ttclid=t1&fbclid=f1' },
      cookie,
    )
    await untilEmpty()
    const [request, ...others] = to(HOST)
    expect(others).toEqual([])
    expect(request).toMatchObject({
      path: '/v1/events:ingest',
      headers: {
        authorization: 'Bearer token-of-good-one@projeto.iam.gserviceaccount.com',
        'content-type': 'application/json',
      },
    })
    expect(request?.body).toEqual({
      destinations: [
        {
          operatingAccount: { accountType: 'GOOGLE_ADS', accountId: '1234567890' },
          productDestinationId: PIXEL.event_ids[name],
        },
      ],
      consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_GRANTED' },
      events: [
        {
          eventTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          eventSource: 'WEB',
          transactionId: id,
          adIdentifiers: { gclid: 'Cj0KCQexample' },
        },
      ],
    })
  })

  test.each(['gbraid', 'wbraid'])('gets a click by %s, also from an earlier page', async (parameter) => {
    await addRow(PIXEL)
    const { cookie } = await visitor(ALL)
    await send({ path: `/?${parameter}=x1` }, cookie)
    await send({}, `${cookie}; portico_google_ads=${parameter}.x2`)
    await untilEmpty()
    const clicks = to(HOST).map(({ body }) => body.events[0].adIdentifiers[parameter])
    expect(clicks.sort()).toEqual(['x1', 'x2'])
  })

  test('gets nothing about visitors who did not click an ad of Google', async () => {
    await addRow(PIXEL)
    const { cookie } = await visitor(ALL)
    await send({ path: '/?fbclid=f1&ttclid=t1' }, cookie)
    expect(await site.waiting()).toBe(0)
    expect(site.apis.tunnels).toEqual([])
  })

  testConsentOf(site, {
    pixel: PIXEL,
    host: HOST,
    events: CONVERSIONS,
    cookie: 'portico_google_ads',
    state: 'unconfirmed',
    query: '?gclid=g1',
  })

  test('signs in once with the key, and again when the token is refused', async () => {
    const who = `good-${randomUUID().slice(0, 8)}`
    const { id } = await addRow({ ...PIXEL, access_token: googleKeyOf(who) })
    const { cookie } = await visitor(ALL)
    for (let count = 0; count < 2; count++) {
      await send({ path: '/?gclid=g1' }, cookie)
      await untilEmpty()
    }
    const [signIn, ...others] = to(TOKENS)
    expect(others).toEqual([])
    const issuer = `${who}@projeto.iam.gserviceaccount.com`
    const { payload, protectedHeader } = await jwtVerify(signIn?.body.assertion, googlePublicKey, {
      issuer,
      audience: 'https://oauth2.googleapis.com/token',
    })
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT' })
    expect(payload.scope).toBe('https://www.googleapis.com/auth/datamanager')
    expect(Number(payload.exp) - Number(payload.iat)).toBe(3600)
    let isRevoked = true
    site.apis.answer = ({ host }) => {
      if (host !== HOST || !isRevoked) return undefined
      isRevoked = false
      return { status: 401, body: '{"error":{"status":"UNAUTHENTICATED"}}' }
    }
    await send({ path: '/?gclid=g2' }, cookie)
    await untilEmpty()
    expect(to(TOKENS)).toHaveLength(2)
    expect(await counts(id)).toEqual({ unconfirmed: 3 })
    expect(site.apis.tunnels.some((host) => host.includes('evil'))).toBe(false)
  })

  test('stops for a deleted key, and keeps the events', async () => {
    const { id } = await addRow({ ...PIXEL, access_token: googleKeyOf('deleted') })
    const { cookie } = await visitor(ALL)
    await send({ path: '/?gclid=g1' }, cookie)
    await vi.waitFor(
      async () =>
        expect(await admin<PixelDeliveries>('GET', `/pixels/${id}/deliveries`)).toMatchObject({
          stopped: { code: 'token_refused', message: expect.stringContaining('nova chave') },
          waiting: 1,
          deliveries: [{ answer: 'HTTP 400 · invalid_grant' }],
        }),
      30_000,
    )
    expect(to(HOST)).toEqual([])
    await site.patch(id, { access_token: googleKeyOf('good-two') })
    await untilEmpty()
    expect(await counts(id)).toEqual({ unconfirmed: 1 })
  })

  test('is tried with an event that Google does not record', async () => {
    const { id } = await addRow(PIXEL)
    const check = await admin<DeliveryCheck>('POST', `/pixels/${id}/check`, {})
    expect(check).toMatchObject({
      state: 'accepted',
      message: expect.stringContaining('Nada foi registrado'),
      request: { body: { validateOnly: true } },
    })
    expect(JSON.stringify(check)).not.toMatch(/PRIVATE KEY|token-of/)
    const draft = (change: object) =>
      admin<DeliveryCheck>('POST', '/pixels/check', { ...PIXEL, pixel_id: null, ...change })
    expect(await draft({ destination_account: '1112223333' })).toMatchObject({
      state: 'refused',
      message: expect.stringContaining('não tem acesso'),
    })
    expect(await draft({ access_token: googleKeyOf('deleted') })).toMatchObject({
      state: 'refused',
      message: expect.stringContaining('nova chave'),
    })
  })

  test.each([
    [{ destination_account: '123' }, 'dez números'],
    [{ event_ids: {} }, 'ação de conversão'],
    [{ access_token: 'abc' }, 'arquivo .json'],
    [{ access_token: '{"client_email":"a@b.c"}' }, 'arquivo .json'],
    [{ access_token: JSON.stringify({ client_email: 'a@b.c', private_key: CUT_KEY }) }, 'arquivo .json'],
    [{ delivery: 'both' }, 'não aceita o envio'],
  ])('refuses %j', async (change, words) => {
    const answer = await site.app.inject({
      method: 'POST',
      url: '/rest/v1/tracking_pixels',
      headers: site.headers,
      payload: { ...PIXEL, ...change },
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().message).toContain(words)
    expect(answer.body).not.toContain('PRIVATE KEY')
  })
})

const error = (status: string, reason?: string) => ({
  error: {
    status,
    message: 'echo',
    details: reason === undefined ? [] : [{ fieldViolations: [{ field: 'events.events[0]', reason }] }],
  },
})

test.each<[string, Heard, object, string]>([
  ['200', say(200, { requestId: 'c2f0e7' }), { state: 'unconfirmed' }, 'em até um dia'],
  ['401', say(401, error('UNAUTHENTICATED')), { kind: 'stop', code: 'token_refused' }, 'nova chave'],
  ...[
    'PERMISSION_DENIED',
    'NOT_FOUND',
    'INVALID_DESTINATION',
    'DESTINATION_ACCOUNT_TYPE_MISMATCH',
    'OPERATING_ACCOUNT_LOGIN_ACCOUNT_MISMATCH',
    'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
    'SERVICE_DISABLED',
    'NOT_ALLOWLISTED',
  ].map((reason): [string, Heard, object, string] => [
    reason,
    say(403, error('PERMISSION_DENIED', reason)),
    { kind: 'stop', code: 'not_permitted' },
    'não tem acesso',
  ]),
  ...[
    'INVALID_CONVERSION_ACTION_ID',
    'INVALID_CONVERSION_ACTION_TYPE',
    'EVENT_SOURCE_AND_DESTINATION_MISMATCH',
  ].map((reason): [string, Heard, object, string] => [
    reason,
    say(400, error('INVALID_ARGUMENT', reason)),
    { kind: 'stop', code: 'not_permitted' },
    'ação de conversão',
  ]),
  [
    'a new action',
    say(400, error('FAILED_PRECONDITION', 'CONVERSION_ACTION_TOO_RECENTLY_CREATED')),
    { kind: 'retry', afterMs: 21_600_000 },
    '6 horas',
  ],
  ...[
    ['EVENT_TIME_INVALID', 'relógio'],
    ['NO_IDENTIFIERS_PROVIDED', 'clique'],
    ['INVALID_AD_IDENTIFIER_FOR_ACCOUNT', 'outra conta'],
    ['INVALID_EVENT', 'formato'],
    ['FIELD_VALUE_TOO_LONG', 'formato'],
    ['INVALID_CURRENCY_CODE', 'formato'],
    ['INVALID_SHA256_FORMAT', 'formato'],
    ['INVALID_HEX_ENCODING', 'formato'],
    ['TOO_MANY_EVENTS', 'formato'],
    ['REQUIRED_FIELD_MISSING', 'formato'],
  ].map(([reason = '', words = '']): [string, Heard, object, string] => [
    reason,
    say(400, error('INVALID_ARGUMENT', reason)),
    { state: 'refused', reason },
    words,
  ]),
  ['429', say(429, error('RESOURCE_EXHAUSTED')), { kind: 'retry', afterMs: null }, 'limitou'],
  ...['INTERNAL_ERROR', 'DEADLINE_EXCEEDED', 'UNAVAILABLE', 'ABORTED'].map(
    (reason): [string, Heard, object, string] => [
      reason,
      say(409, error(reason)),
      { kind: 'retry', afterMs: null },
      'instável',
    ],
  ),
  ['408', say(408), { kind: 'retry', afterMs: null }, 'instável'],
  ['500', say(500, '<html>'), { kind: 'retry', afterMs: null }, 'instável'],
  ['a time-out', fail('ETIMEDOUT', true), { kind: 'retry', afterMs: null }, 'instável'],
  ['no connection', fail('ENOTFOUND', false), { kind: 'retry' }, 'Não foi possível conectar'],
])("reads Google's answer: %s", (_what, answer, verdict, words) => {
  const read = judgeAnswer(googleAds, answer, 1)
  expect(read).toMatchObject(verdict)
  expect(textOf(read)).toContain(words)
  expect(JSON.stringify(read)).not.toContain('echo')
})

test.each<[string, Heard, object]>([
  ['invalid_grant', say(400, { error: 'invalid_grant' }), { kind: 'stop', code: 'token_refused' }],
  ['invalid_client', say(401, { error: 'invalid_client' }), { kind: 'stop', code: 'token_refused' }],
  ['429', say(429), { kind: 'retry' }],
  ['503', say(503, '<html>'), { kind: 'retry' }],
  ['no connection', fail('ENOTFOUND', false), { kind: 'retry' }],
  ['a token', say(200, { access_token: 'x', expires_in: 3599 }), { token: 'x', lastsMs: 3_599_000 }],
])("reads the answer of Google's token endpoint: %s", (_what, answer, read) => {
  expect(googleAds.exchange?.read(answer)).toMatchObject(read)
})

const status = (requestStatus: string, errorCounts?: unknown, more: object = {}) => ({
  requestStatusPerDestination: [
    {
      destination: { operatingAccount: { accountType: 'GOOGLE_ADS', accountId: '1234567890' } },
      requestStatus,
      eventsIngestionStatus: { recordCount: '3' },
      ...(errorCounts === undefined ? {} : { errorInfo: { errorCounts } }),
      ...more,
    },
  ],
})
const reason = (name: string, recordCount: unknown = '1') => ({
  recordCount,
  reason: `PROCESSING_ERROR_REASON_${name}`,
})
const judged = (confirmed: number, refused: Record<string, number> = {}) => ({
  kind: 'judged',
  confirmed,
  refused: Object.entries(refused).map(([name, count]) => ({ reason: name, count })),
})
const TOO_OLD = 'PROCESSING_ERROR_REASON_EVENT_TOO_OLD'

test.each<[string, Heard, object]>([
  ['success', say(200, status('SUCCESS')), judged(3)],
  [
    'success with a warning',
    say(
      200,
      status('SUCCESS', undefined, { warningInfo: { warningCounts: [{ recordCount: '3', reason: 'x' }] } }),
    ),
    judged(3),
  ],
  [
    'partial success',
    say(200, status('PARTIAL_SUCCESS', [reason('EVENT_TOO_OLD')])),
    judged(2, { [TOO_OLD]: 1 }),
  ],
  [
    'a count as a number',
    say(200, status('PARTIAL_SUCCESS', [reason('EVENT_TOO_OLD', 2)])),
    judged(1, { [TOO_OLD]: 2 }),
  ],
  ['partial success without counts', say(200, status('PARTIAL_SUCCESS')), { state: 'unconfirmed' }],
  ['failed', say(200, status('FAILED', [reason('EVENT_TOO_OLD', '3')])), judged(0, { [TOO_OLD]: 3 })],
  ['failed without a reason', say(200, status('FAILED')), judged(0, { FAILED: 3 })],
  [
    'failed with a broken reason',
    say(200, status('FAILED', [null, reason('<b>', '3'), reason('X', 'y')])),
    judged(0, { FAILED: 3 }),
  ],
  [
    'more errors than events',
    say(
      200,
      status('FAILED', [
        reason('DUPLICATE_GCLID', '3'),
        reason('EVENT_TOO_OLD', '2'),
        reason('NO_CONSENT', '2'),
      ]),
    ),
    judged(0, { [TOO_OLD]: 2, PROCESSING_ERROR_REASON_NO_CONSENT: 1 }),
  ],
  ...['DUPLICATE_GCLID', 'DUPLICATE_TRANSACTION_ID'].map((name): [string, Heard, object] => [
    name,
    say(200, status('FAILED', [reason(name, '3')])),
    judged(3),
  ]),
  ...['PROCESSING', 'REQUEST_STATUS_UNKNOWN', 'FUTURE'].map((name): [string, Heard, object] => [
    name,
    say(200, status(name)),
    { state: 'unconfirmed' },
  ]),
  ['no destination', say(200, { requestStatusPerDestination: [] }), { state: 'unconfirmed' }],
  ['an empty entry', say(200, { requestStatusPerDestination: [null] }), { state: 'unconfirmed' }],
  ['HTML', say(200, '<html>'), { state: 'unconfirmed' }],
  ['404', say(404, error('NOT_FOUND')), { kind: 'stop' }],
  ['403', say(403, error('PERMISSION_DENIED')), { kind: 'stop' }],
  ['400', say(400, error('INVALID_ARGUMENT')), { state: 'refused' }],
  ['429', say(429, error('RESOURCE_EXHAUSTED'), { 'retry-after': '7' }), { kind: 'retry', afterMs: 7_000 }],
  ['500', say(500, '<html>'), { kind: 'retry', afterMs: null }],
  ['a time-out', fail('ETIMEDOUT', true), { kind: 'retry' }],
])("reads Google's later result: %s", (_what, answer, expected) => {
  expect(googleAds.confirmation?.read(answer, 3)).toMatchObject(expected)
})

test.each([
  ['EVENT_TOO_OLD', 'há mais tempo'],
  ['DENIED_CONSENT', 'consentimento'],
  ['NO_CONSENT', 'consentimento'],
  ['UNKNOWN_CONSENT', 'consentimento'],
  ['INVALID_GCLID', 'código do clique'],
  ['INVALID_GBRAID', 'código do clique'],
  ['INVALID_WBRAID', 'código do clique'],
  ['INVALID_CLICK', 'código do clique'],
  ['CLICK_NOT_FOUND', 'não encontrou'],
  ['CONVERSION_PRECEDES_CLICK', 'anterior'],
  ['TOO_RECENT_CLICK', 'muito recente'],
  ['ONE_PER_CLICK_CONVERSION_ACTION_NOT_PERMITTED_WITH_BRAID', 'contagem'],
  ['INTERNAL_ERROR', 'erro interno'],
  ['INVALID_EVENT', 'depois o recusou (PROCESSING_ERROR_REASON_INVALID_EVENT)'],
])('explains the later refusal %s', (name, words) => {
  expect(googleAds.refusalText(`PROCESSING_ERROR_REASON_${name}`)).toContain(words)
})

test('explains a later refusal without a reason, and one whose name differs', () => {
  expect(googleAds.refusalText('FAILED')).toContain('não informou o motivo')
  expect(googleAds.refusalText('PROCESSING_ERROR_OPERATING_ACCOUNT_MISMATCH_FOR_AD_IDENTIFIER')).toContain(
    'outra conta',
  )
})

test.each([
  [say(200, { requestId: 'c2f0e7' }), 'c2f0e7'],
  [say(200, {}), null],
  [say(200, { requestId: 7 }), null],
  [say(200, { requestId: 'a b<' }), null],
  [say(200, { requestId: 'a'.repeat(201) }), null],
  [say(200, '<html>'), null],
  [fail('ETIMEDOUT', true), null],
])('reads the ID of a request from %j', (answer, id) => {
  expect(googleAds.confirmation?.idOf(answer)).toBe(id)
})
