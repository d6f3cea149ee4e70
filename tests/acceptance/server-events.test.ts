import { createHash, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import { EMAIL_TEXT_VERSION, formatConsent } from '#contract/consent-choice.ts'
import type { DeliveryCheck, PixelDeliveries } from '#contract/delivery-log.ts'
import type { PixelLedger } from '#contract/ledger.ts'
import type { Pixel } from '#contract/pixel.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { SERVER_EVENTS, type ServerEventName } from '#contract/server-event.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import type { CreatedTest, TagTest } from '#contract/tag-test.ts'
import type { Today } from '#contract/today.ts'
import { sweepDeliveries } from '#server/deliveries/sweep-deliveries.ts'
import { ENGINES } from '#tests/support/engines.ts'
import { Mailbox } from '#tests/support/mailbox.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '#tests/support/test-app.ts'
import {
  metaError,
  type Received,
  startVendorApis,
  type VendorApis,
} from '#tests/support/vendor-apis/start-vendor-apis.ts'
import { readKeys } from './auth-keys.ts'

const ALL: OptionalCategory[] = ['desempenho', 'funcionalidade', 'marketing']
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0'
const ADDRESS = '189.6.10.20'
const EVENT_ID = '0b9f6c1e-6a55-4c0e-9a57-4f6f1d2c7a10'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const DESTINATIONS = {
  meta: {
    name: 'Meta',
    type: 'meta',
    pixel_id: '482910377165024',
    delivery: 'server',
    access_token: 'good-token',
    send_hashed_email: true,
  },
  both: {
    name: 'Meta 2',
    type: 'meta',
    pixel_id: '582910377165024',
    delivery: 'both',
    access_token: 'good-token-2',
  },
  google: {
    name: 'GA4',
    type: 'google_analytics',
    pixel_id: 'G-7XK2M9QTLP',
    delivery: 'server',
    access_token: 'google-secret',
  },
  hook: {
    name: 'Webhook',
    type: 'custom',
    consent_category: 'funcionalidade',
    webhook_url: 'https://hooks.exemplo.com.br/c?x=1',
    delivery: 'server',
    access_token: SECRET,
  },
} as const
type DestinationName = keyof typeof DESTINATIONS

let apis: VendorApis
let mailbox: Mailbox
beforeAll(async () => {
  apis = await startVendorApis()
  mailbox = await Mailbox.open()
})
afterAll(async () => {
  await apis.close()
  await mailbox.close()
})

describe.each(ENGINES)('events told by the server, on %s', (engine) => {
  let site: TestApp
  let headers: Record<string, string>
  beforeAll(async () => {
    site = await startTestApp({
      engine,
      listen: true,
      env: {
        TRUST_PROXY: 'true',
        HTTPS_PROXY: apis.proxyUrl,
        SITE_URL: 'https://www.exemplo.com.br',
        SMTP_URL: mailbox.url,
      },
    })
    const { anon } = await readKeys(site)
    const login = await site.app.inject({
      method: 'POST',
      url: '/auth/v1/token?grant_type=password',
      headers: { apikey: anon },
      payload: PRINCIPAL,
    })
    headers = { apikey: anon, authorization: `Bearer ${login.json().access_token}` }
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    apis.received.length = 0
    apis.tunnels.length = 0
    apis.answer = () => undefined
    apis.isDown = false
    await site.forgetLimits()
  })
  afterEach(async () => {
    await site.app.inject({ method: 'DELETE', url: '/rest/v1/tracking_pixels?id=not.is.null', headers })
    await site.database.db.deleteFrom('tracking_pixels').execute()
    for (const table of ['audit_events', 'sign_up_hashes', 'newsletter_subscriptions'] as const)
      await site.database.db.deleteFrom(table).execute()
  })

  const add = async (name: DestinationName, change: object = {}): Promise<Pixel> => {
    const answer = await site.app.inject({
      method: 'POST',
      url: '/rest/v1/tracking_pixels',
      headers: { ...headers, prefer: 'return=representation' },
      payload: { ...DESTINATIONS[name], ...change },
    })
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json()[0]
  }
  const patch = async (id: string, payload: object) => {
    const answer = await site.app.inject({
      method: 'PATCH',
      url: `/rest/v1/tracking_pixels?id=eq.${id}`,
      headers,
      payload,
    })
    expect(answer.statusCode, answer.body).toBe(204)
  }
  const admin = async <Body>(method: 'GET' | 'POST', url: string, payload?: object): Promise<Body> => {
    const answer = await site.app.inject({
      method,
      url: `/admin/api${url}`,
      headers,
      ...(payload && { payload }),
    })
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    return answer.json()
  }
  const choose = (id: string, categories: readonly OptionalCategory[], cookie = '', textVersion = 1) =>
    site.app.inject({
      method: 'POST',
      url: '/api/consent',
      headers: { cookie },
      payload: { id, action: 'save', categories, text_version: textVersion, tag_set_version: '' },
    })
  const cookieOf = (id: string, granted: readonly OptionalCategory[], textVersion = 1) =>
    `portico_consent=${formatConsent({ textVersion, granted: [...granted], asked: ALL, id })}`
  const send = (event: object, cookie: string, change: Record<string, string> = {}) =>
    site.app.inject({
      method: 'POST',
      url: '/api/events',
      headers: { cookie, 'user-agent': AGENT, 'x-forwarded-for': ADDRESS, ...change },
      payload: { id: randomUUID(), name: 'lead', path: '/', ...event },
    })
  /** A visitor with a recorded choice. */
  const visitor = async (granted: readonly OptionalCategory[], textVersion = 1) => {
    const id = randomUUID()
    expect((await choose(id, granted, '', textVersion)).statusCode).toBe(204)
    return { id, cookie: cookieOf(id, granted, textVersion) }
  }
  const subscribe = async (email: string, cookie: string) => {
    const answer = await site.app.inject({
      method: 'POST',
      url: '/api/newsletter',
      headers: { cookie },
      payload: { email },
    })
    expect(answer.statusCode).toBe(200)
  }
  /** Of Meta's events: the hash that each carried. */
  const hashes = () => metaEvents().map(({ user_data }) => user_data.em)
  /** Events alone: a subscription waits in the same queue. */
  const events = () => site.database.db.selectFrom('deliveries').where('pixel_id', 'is not', null)
  const waiting = async () => (await events().select('id').execute()).length
  const untilEmpty = () => vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 15_000 })
  const counts = async (pixelId: string) => {
    const rows = await site.database.db
      .selectFrom('delivery_counts')
      .select(['state', 'count'])
      .where('pixel_id', '=', pixelId)
      .execute()
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
  }
  const to = (host: string) => apis.received.filter((request) => request.host === host)
  const metaEvents = () => to('graph.facebook.com').flatMap(({ body }) => body.data)

  test.each([
    ['meta', ['PageView', 'Lead'], 'accepted'],
    ['both', ['Lead'], 'accepted'],
    ['google', ['page_view', 'generate_lead'], 'unconfirmed'],
    ['hook', ['conversion.page_view', 'conversion.lead'], 'accepted'],
  ] as const)(
    'a test of "%s" is told in the vendor’s test mode, answered among its steps, and counted nowhere',
    async (name, told, state) => {
      const code = name === 'both' ? generateSnippet('meta', DESTINATIONS.both.pixel_id) : ''
      const { id: pixel } = await add(name, { code })
      const page = await (await fetch(site.url)).text()
      const set = /data-tags="([^"]+)"/.exec(page)?.[1] ?? ''
      const test = async (test_event_code: string) => {
        const created = await admin<CreatedTest>('POST', `/pixels/${pixel}/tests`, { test_event_code })
        const token = created.url.split('=')[1] ?? ''
        const post = (url: string, payload: object) =>
          site.app.inject({ method: 'POST', url, payload, headers: { 'user-agent': AGENT } })
        const { key } = (await post('/api/tag-tests', { token, set })).json()
        const steps = [
          { kind: 'chosen', ok: true, at: 1 },
          { kind: 'conversion', conversion: 'lead', id: EVENT_ID, at: 2 },
        ]
        expect((await post('/api/tag-tests/steps', { key, steps })).statusCode).toBe(204)
        return vi.waitFor(async () => {
          const { awaits_copies, steps: seen } = await admin<TagTest>(
            'GET',
            `/pixels/${pixel}/tests/${created.id}`,
          )
          expect(awaits_copies).toBe(false)
          return seen.flatMap(({ copy }) => copy ?? [])
        }, 10_000)
      }
      const copies = await test('TEST48213')
      expect(copies.map(({ check }) => check?.state)).toEqual(told.map(() => state))
      const names = apis.received.map(
        ({ body }) => body.type ?? body.data?.[0].event_name ?? body.events[0].name,
      )
      expect(names.sort()).toEqual([...told].sort())
      for (const { host, path, body } of apis.received) {
        if (host === 'graph.facebook.com') expect(body.test_event_code).toBe('TEST48213')
        else if (host === 'www.google-analytics.com') expect(path).toMatch(/^\/debug\//)
        else expect(body.data.test).toBe(true)
      }
      // The same ID as the browser's copy, and never the secret.
      expect(JSON.stringify(apis.received.map(({ body }) => body))).toContain(
        name === 'google' ? 'generate_lead' : EVENT_ID,
      )
      expect(JSON.stringify(copies)).not.toContain(DESTINATIONS[name].access_token)
      apis.received.length = 0
      const uncoded = await test('')
      if (name === 'meta' || name === 'both') {
        expect(uncoded.map(({ check }) => check)).toEqual(told.map(() => null))
        expect(apis.received).toEqual([])
      }
      for (const table of ['deliveries', 'delivery_counts', 'delivery_log', 'consent_records'] as const)
        expect(await site.database.db.selectFrom(table).selectAll().execute()).toEqual([])
    },
  )

  test.each<[ServerEventName, string, string | undefined, string, object]>([
    ['page_view', 'PageView', undefined, 'page_view', {}],
    [
      'lead',
      'Lead',
      'abrir_conta',
      'generate_lead',
      { currency: 'BRL', value: 0, lead_source: 'abrir_conta' },
    ],
    ['contact', 'Contact', 'whatsapp', 'contact', { method: 'whatsapp' }],
    ['sign_up', 'CompleteRegistration', 'newsletter', 'sign_up', { method: 'newsletter' }],
  ])(
    '%s reaches each way of sending, field by field',
    async (name, metaName, content, googleName, params) => {
      for (const destination of Object.keys(DESTINATIONS)) await add(destination as DestinationName)
      const { cookie } = await visitor(ALL, EMAIL_TEXT_VERSION)
      await subscribe('  Maria.Silva@Example.COM.BR ', cookie)
      const id = randomUUID()
      const before = Math.floor(Date.now() / 1000)
      const query = '?utm_source=news&fbclid=IwAR0AbCdEf_123&utm_email=maria%40exemplo.com.br&cpf=1'
      const answer = await send(
        { id, name, title: 'Início', path: `https://www.exemplo.com.br/${query}#fim` },
        `${cookie}; _ga=GA1.1.1873645021.1794737900`,
      )
      expect(answer.statusCode).toBe(204)
      await untilEmpty()

      const url = 'https://www.exemplo.com.br/?utm_source=news'
      const metaRequests = to('graph.facebook.com').sort((a, b) => (a.path < b.path ? -1 : 1))
      // The browser's copy of a page view has no ID that a second one could be merged by.
      expect(metaRequests.map(({ path }) => path)).toEqual(
        name === 'page_view'
          ? ['/v26.0/482910377165024/events']
          : ['/v26.0/482910377165024/events', '/v26.0/582910377165024/events'],
      )
      for (const { headers: sent, body, path } of metaRequests) {
        const [event] = body.data
        expect(sent.authorization).toBe(path.includes('/4829') ? 'Bearer good-token' : 'Bearer good-token-2')
        expect(event.event_time).toBeGreaterThanOrEqual(before)
        const hashed = '6fe0396647598bff88a6cecfb6434f11e5a79b8e0eceb9a95158e63540b23892'
        expect(body).toEqual({
          data: [
            {
              event_name: metaName,
              event_time: expect.any(Number),
              event_id: id,
              action_source: 'website',
              event_source_url: url,
              user_data: {
                client_ip_address: ADDRESS,
                client_user_agent: AGENT,
                fbp: expect.stringMatching(/^fb\.3\.\d{13}\.\d+$/),
                fbc: expect.stringMatching(/^fb\.3\.\d{13}\.IwAR0AbCdEf_123$/),
                external_id: [expect.stringMatching(/^[0-9a-f]{64}$/)],
                ...(name === 'sign_up' && path.includes('/4829') ? { em: [hashed] } : {}),
              },
              ...(content === undefined ? {} : { custom_data: { content_name: content } }),
            },
          ],
        })
      }

      const [google, ...more] = to('www.google-analytics.com') as [Received]
      expect(more).toEqual([])
      expect(google.path).toBe('/mp/collect?measurement_id=G-7XK2M9QTLP&api_secret=google-secret')
      const micros = google.body.timestamp_micros
      const page = {
        session_id: expect.stringMatching(/^\d{10}$/),
        engagement_time_msec: 1,
        page_location: url,
        page_title: 'Início',
      }
      expect(google.body).toEqual({
        client_id: '1873645021.1794737900',
        timestamp_micros: expect.any(Number),
        consent: { ad_user_data: 'GRANTED', ad_personalization: 'GRANTED' },
        ip_override: ADDRESS,
        user_agent: AGENT,
        events: [
          ...(name === 'page_view'
            ? [{ name: 'campaign_details', timestamp_micros: micros, params: { source: 'news', ...page } }]
            : []),
          { name: googleName, timestamp_micros: micros, params: { ...params, ...page } },
        ],
      })
      expect(String(micros)).toHaveLength(16)

      const [hook] = to('hooks.exemplo.com.br') as [Received]
      expect(hook.path).toBe('/c?x=1')
      expect(hook.headers).toMatchObject({
        'webhook-id': id,
        'webhook-signature': expect.stringMatching(/^v1,/),
      })
      expect(hook.body).toEqual({
        type: `conversion.${name}`,
        timestamp: expect.any(String),
        data: { event_id: id, event: name, url, title: 'Início', campaign: { utm_source: 'news' } },
      })
    },
  )

  test.each<[string, OptionalCategory[], string[]]>([
    ['marketing alone', ['marketing'], ['graph.facebook.com']],
    ['performance alone', ['desempenho'], ['www.google-analytics.com']],
    ['nothing', [], []],
  ])('who accepted %s is told of there, and nowhere else', async (_what, granted, hosts) => {
    for (const destination of Object.keys(DESTINATIONS)) await add(destination as DestinationName)
    const { cookie } = await visitor(granted)
    for (const name of SERVER_EVENTS) {
      const answer = await send({ name }, cookie)
      expect(answer.statusCode).toBe(204)
      expect([answer.headers['set-cookie'] ?? []].flat().length > 0).toBe(hosts.length > 0)
    }
    await untilEmpty()
    expect([...new Set(apis.received.map(({ host }) => host))]).toEqual(hosts)
    expect([...new Set(apis.tunnels)]).toEqual(hosts.map((host) => `${host}:443`))
    if (granted[0] === 'desempenho')
      expect(apis.received[0]?.body.consent).toEqual({ ad_user_data: 'DENIED', ad_personalization: 'DENIED' })
  })

  test('what was taken back while it waited is withheld, and the cookies end', async () => {
    const meta = await add('meta')
    const google = await add('google')
    apis.isDown = true
    const { id, cookie } = await visitor(ALL)
    for (const name of SERVER_EVENTS) await send({ name }, cookie)
    await vi.waitFor(async () => expect(apis.tunnels.length).toBeGreaterThan(0), { timeout: 15_000 })
    expect(await waiting()).toBe(8)
    const left = await choose(id, [], `${cookie}; _fbp=1; portico_visitor=2; portico_analytics=3`)
    expect(left.headers['set-cookie']).toEqual([
      '_fbp=; Path=/; Max-Age=0; SameSite=Lax; Secure',
      'portico_analytics=; Path=/; Max-Age=0; SameSite=Lax; Secure',
      'portico_visitor=; Path=/; Max-Age=0; SameSite=Lax; Secure',
    ])
    expect(await waiting()).toBe(0)
    expect(await counts(meta.id)).toEqual({ withheld: 4 })
    const told = await counts(google.id)
    expect((told.withheld ?? 0) + (told.unconfirmed ?? 0)).toBe(4)
    expect(apis.received).toEqual([])
  })

  test('the newest record decides at sending, whatever the cookie said', async () => {
    const meta = await add('meta')
    const { id } = await visitor(['marketing'])
    await choose(id, ['desempenho'])
    // The browser still has the cookie of before.
    await send({}, cookieOf(id, ['marketing']))
    await untilEmpty()
    expect(await counts(meta.id)).toEqual({ withheld: 1 })
    expect(apis.tunnels).toEqual([])
  })

  test('a record that comes after its event is waited for', async () => {
    const meta = await add('meta')
    const id = randomUUID()
    await send({}, cookieOf(id, ['marketing']))
    await choose(id, ['marketing'])
    await untilEmpty()
    expect(await counts(meta.id)).toEqual({ accepted: 1 })
  })

  test('what is no event of ours is refused, and nothing is stored', async () => {
    await add('hook')
    const { cookie } = await visitor(ALL)
    const tries: [what: string, event: object, headers: Record<string, string>, status: number][] = [
      ['an unknown name', { name: 'purchase' }, {}, 400],
      ['an unknown field', { user_id: '1' }, {}, 400],
      ['an ID that is none', { id: 'x' }, {}, 400],
      ['a path with an address in it', { path: '/a@b.co' }, {}, 400],
      ['no address', { path: 'http://' }, {}, 400],
      ['a large body', { title: 'x'.repeat(9_000) }, {}, 413],
      ['another site', {}, { 'sec-fetch-site': 'cross-site' }, 403],
      ['a foreign origin', {}, { origin: 'https://evil.example' }, 403],
      ['a form', {}, { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ]
    for (const [what, event, change, status] of tries)
      expect([what, (await send(event, cookie, change)).statusCode]).toEqual([what, status])
    expect(await waiting()).toBe(0)
    expect(apis.tunnels).toEqual([])
  })

  test('without a choice, with one on another text, or with nobody to tell, nothing is stored or set', async () => {
    const { id, cookie } = await visitor(ALL)
    const nobody = await send({}, cookie)
    await add('meta')
    const old = formatConsent({ textVersion: 999, granted: ALL, asked: ALL, id })
    for (const answer of [nobody, await send({}, ''), await send({}, `portico_consent=${old}`)]) {
      expect(answer.statusCode).toBe(204)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(await waiting()).toBe(0)
  })

  test('a flood from one address is refused', async () => {
    const { cookie } = await visitor(ALL)
    const answers = await Promise.all(Array.from({ length: 70 }, () => send({}, cookie)))
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10)
  })

  test('the same event again changes nothing while it waits', async () => {
    await add('meta')
    apis.isDown = true
    const { cookie } = await visitor(ALL)
    const id = randomUUID()
    for (let copy = 0; copy < 3; copy++) await send({ id }, cookie)
    expect(await waiting()).toBe(1)
  })

  test('one bad event of a batch is found, and the others arrive', async () => {
    const meta = await add('meta')
    apis.isDown = true
    const { cookie } = await visitor(ALL)
    const ids = Array.from({ length: 9 }, () => randomUUID())
    for (const id of ids) await send({ id }, cookie)
    apis.answer = ({ body }) =>
      body.data.some((event: { event_id: string }) => event.event_id === ids[4])
        ? metaError(400, { code: 100, error_subcode: 2804003 })
        : undefined
    apis.isDown = false
    await vi.waitFor(
      async () => {
        await admin('POST', `/pixels/${meta.id}/deliveries/retry`)
        expect(await waiting()).toBe(0)
      },
      { timeout: 15_000 },
    )
    expect(await counts(meta.id)).toEqual({ accepted: 8, refused: 1 })
    const told = await admin<PixelDeliveries>('GET', `/pixels/${meta.id}/deliveries`)
    expect(told.refusals).toEqual([
      { reason: '100/2804003', message: 'Evento com mais de 7 dias: a Meta não aceita.', count: 1 },
    ])
    expect(told.deliveries).toHaveLength(Math.min(20, told.deliveries.length))
    expect(JSON.stringify(told)).not.toMatch(/189\.6|Mozilla|fb\.|good-token/)
  })

  test('a refused token stops the sending, keeps what waits, and a new one sets it going', async () => {
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
      { timeout: 15_000 },
    )
    await send({}, cookie)
    await send({}, cookie)
    expect(apis.received).toHaveLength(1)
    const { pixels } = await admin<TagOverview>('GET', '/tags')
    expect(pixels[0]).toMatchObject({ health: 'broken', reasons: [{ code: 'token_refused' }] })
    const mail = await mailbox.take(PRINCIPAL.email)
    expect(mail.subject).toBe('O envio de "Meta" parou')
    expect(mail.text).toContain('A Meta recusou o token.')
    expect(mail.text).toContain(`/admin/pixels/${meta.id}`)
    expect(mailbox.received).toEqual([])
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

  test('what was written to Google is never sent again; what was not is', async () => {
    const google = await add('google')
    const { cookie } = await visitor(ALL)
    apis.answer = () => 'reset'
    await send({}, cookie)
    await untilEmpty()
    expect(await counts(google.id)).toEqual({ unconfirmed: 1 })
    expect(apis.received).toHaveLength(1)
    apis.answer = () => undefined
    apis.isDown = true
    await send({}, cookie)
    await vi.waitFor(async () => {
      const { deliveries } = await admin<PixelDeliveries>('GET', `/pixels/${google.id}/deliveries`)
      expect(deliveries[0]).toMatchObject({ state: 'waiting' })
    }, 15_000)
    apis.isDown = false
    await vi.waitFor(
      async () => {
        await admin('POST', `/pixels/${google.id}/deliveries/retry`)
        expect(await waiting()).toBe(0)
      },
      { timeout: 15_000 },
    )
    expect(apis.received).toHaveLength(2)
    const { pixels } = await admin<TagOverview>('GET', '/tags')
    expect(pixels[0]).toMatchObject({
      health: 'working',
      confirmed: false,
      reasons: [{ code: 'server_unconfirmed' }],
    })
  })

  test('what nobody takes any more is expired, of a pixel that is off as well; the ledger adds up', async () => {
    const meta = await add('meta')
    const { cookie } = await visitor(ALL)
    await send({}, cookie)
    await untilEmpty()
    apis.isDown = true
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
    await sweepDeliveries(db, { reportDays: 30 })
    const { rows } = await admin<PixelLedger>('GET', `/pixels/${meta.id}/ledger?step=hour`)
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
    const { rows: others } = await admin<PixelLedger>('GET', `/pixels/${plain.id}/ledger?step=hour`)
    expect(others.at(-1)).not.toHaveProperty('events')
  })

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
    expect(apis.received.at(-1)?.body).toEqual(metaCheck.request.body)
    const googleCheck = await check(google.id)
    expect(googleCheck).toMatchObject({
      state: 'unconfirmed',
      message: expect.stringContaining('formato está certo'),
    })
    expect(apis.received.at(-1)?.path).toMatch(/^\/debug\/mp\/collect/)
    const hookCheck = await check(hook.id)
    expect(hookCheck).toMatchObject({ state: 'accepted', response: { status: 200 } })
    expect(JSON.stringify([metaCheck, googleCheck, hookCheck])).not.toMatch(/good-token|google-secret|whsec/)
    apis.answer = () => metaError(400, { code: 190 })
    expect(await check(meta.id, { test_event_code: 'TEST123' })).toMatchObject({
      state: 'refused',
      message: expect.stringContaining('token'),
    })
    const missing = await site.app.inject({
      method: 'POST',
      url: `/admin/api/pixels/${meta.id}/check`,
      headers,
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
    await vi.waitFor(async () => expect(await clicks()).toBe(1), { timeout: 15_000 })
    await add('hook')
    // Both speak of the same click; a visitor who did not allow the webhook's category has the tag alone.
    await send({ name: 'contact' }, everything.cookie)
    await report(everything.cookie)
    await report((await visitor(['marketing'])).cookie)
    // The tag was blocked: its page still tells the server.
    await send({ name: 'contact' }, everything.cookie)
    await send({ name: 'page_view' }, everything.cookie)
    await untilEmpty()
    await vi.waitFor(async () => expect(await clicks()).toBe(4), { timeout: 15_000 })
    await site.app.inject({ method: 'DELETE', url: `/rest/v1/tracking_pixels?id=eq.${tag.id}`, headers })
    // With the server's pixel alone, a day that was measured has a figure, also when it is none.
    await db.deleteFrom('site_counts').execute()
    await send({ name: 'page_view' }, everything.cookie)
    await vi.waitFor(async () => expect(await clicks()).toBe(0), { timeout: 15_000 })
  })

  test('the page has nothing of a vendor that the server tells, and knows whom to tell', async () => {
    await add('google')
    const html = await (await fetch(`${site.url}/`)).text()
    const version = /data-tags="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(/data-tag-kinds="([^"]*)"/.exec(html)?.[1]).toBe('d')
    const manifest = await (await fetch(`${site.url}/tags/${version}.js`)).text()
    expect(manifest).toBe('export const tags=[];export const told=["desempenho"]')
  })

  const MARIA = 'maria.silva@example.com.br'
  const MARIA_HASH = '6fe0396647598bff88a6cecfb6434f11e5a79b8e0eceb9a95158e63540b23892'
  const kept = () => site.database.db.selectFrom('sign_up_hashes').selectAll().execute()

  test.each<[string, object, number, OptionalCategory[], string[] | undefined]>([
    ['told, agreed and switched on', {}, EMAIL_TEXT_VERSION, ALL, [MARIA_HASH]],
    ['not switched on', { send_hashed_email: false }, EMAIL_TEXT_VERSION, ALL, undefined],
    ['not told', {}, 1, ALL, undefined],
    [
      'marketing refused, and the pixel in another category',
      { consent_category: 'desempenho' },
      EMAIL_TEXT_VERSION,
      ['desempenho'],
      undefined,
    ],
  ])('the address of a subscription: %s', async (_name, change, textVersion, granted, expected) => {
    await add('meta', change)
    const { cookie } = await visitor(granted, textVersion)
    await subscribe(MARIA, cookie)
    expect((await kept()).map(({ email_hash }) => email_hash)).toEqual(expected ?? [])
    await send({ name: 'lead' }, cookie)
    await send({ name: 'sign_up' }, cookie)
    // It was of that one.
    await send({ name: 'sign_up' }, cookie)
    await untilEmpty()
    expect(hashes().filter((each) => each !== undefined)).toEqual(expected === undefined ? [] : [expected])
    expect(metaEvents().find(({ event_name }) => event_name === 'Lead').user_data.em).toBeUndefined()
    expect(await kept()).toEqual([])
  })

  test('the address waits as a hash alone, and goes with the consent, with the person and with the switch', async () => {
    const { db } = site.database
    const meta = await add('meta')
    apis.isDown = true
    const signUp = async () => {
      const who = await visitor(ALL, EMAIL_TEXT_VERSION)
      await subscribe(MARIA, who.cookie)
      await send({ name: 'sign_up' }, who.cookie)
      // And once more, of which the page has not told yet.
      await subscribe(MARIA, who.cookie)
      return who
    }
    const found = async () => [
      (await events().select('email_hash').execute()).map(({ email_hash }) => email_hash),
      (await kept()).length,
    ]
    const withdrawn = await signUp()
    expect(await found()).toEqual([[MARIA_HASH], 1])
    for (const table of ['deliveries', 'sign_up_hashes', 'audit_events'] as const)
      expect(JSON.stringify(await db.selectFrom(table).selectAll().execute())).not.toContain('maria')
    await choose(withdrawn.id, ['desempenho'], withdrawn.cookie, EMAIL_TEXT_VERSION)
    expect(await found()).toEqual([[], 0])

    await signUp()
    await admin('POST', '/subscriptions/erase', { email: ' Maria.Silva@example.com.br' })
    expect(await found()).toEqual([[], 0])
    expect(await counts(meta.id)).toEqual({ withheld: 2 })

    await signUp()
    await patch(meta.id, { send_hashed_email: false })
    apis.isDown = false
    await vi.waitFor(async () => {
      await admin('POST', `/pixels/${meta.id}/deliveries/retry`)
      expect(await waiting()).toBe(0)
    }, 15_000)
    expect(hashes()).toEqual([undefined])
  })

  test('banner and privacy policy say it while such a pixel is active, as another text', async () => {
    const read = async (path: string) => (await fetch(site.url + path)).text()
    const SAID = ['/', '/privacidade', '/api/legal/privacidade'] as const
    const said = () => Promise.all(SAID.map(async (path) => /\(hash/.test(await read(path))))
    expect(await said()).toEqual([false, false, false])
    const meta = await add('meta')
    expect(await said()).toEqual([true, true, true])
    expect(await read('/')).toContain(` data-text="${EMAIL_TEXT_VERSION}"`)
    await patch(meta.id, { send_hashed_email: false })
    expect(await said()).toEqual([false, false, false])
    expect(await read('/')).not.toContain('data-text=')
    await patch(meta.id, { send_hashed_email: true, is_active: false })
    expect(await said()).toEqual([false, false, false])
    // Who chose on the longer text was told all of the shorter.
    await add('both')
    const { cookie } = await visitor(ALL, EMAIL_TEXT_VERSION)
    await send({}, cookie)
    await untilEmpty()
    expect(metaEvents()).toHaveLength(1)
  })

  test('an external ID is the hash of a number that only the visitor’s cookie has', async () => {
    await add('meta')
    const { cookie } = await visitor(ALL)
    const number = '7f3c2a10-9b4e-4c58-8e21-0d6a5b1c9e77'
    await send({}, `${cookie}; portico_visitor=${number}`)
    await untilEmpty()
    const hash = createHash('sha256').update(number).digest('hex')
    expect(hash).toBe('65c9636fdef36cd50720899adc764cfe2357664c63c990b5b166d7214ee9affc')
    expect(metaEvents()[0].user_data.external_id).toEqual([hash])
  })
})
