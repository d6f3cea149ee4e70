import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import type { OptionalCategory } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION, formatConsent } from '#contract/consent-choice.ts'
import type { Pixel } from '#contract/pixel.ts'
import { readDeliveryResult } from '#server/conversions/delivery-results.ts'
import { sumCounts } from '#server/stats/counts.ts'
import { readKeys } from '../acceptance/auth-keys.ts'
import type { EngineName } from './engines.ts'
import { Mailbox } from './mailbox.ts'
import { PRINCIPAL, startTestApp, type TestApp } from './test-app.ts'
import { startVendorApis, type VendorApis } from './vendor-apis/start-vendor-apis.ts'

export const ALL: OptionalCategory[] = ['desempenho', 'funcionalidade', 'marketing']
export const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0'
export const ADDRESS = '189.6.10.20'
export const EVENT_ID = '0b9f6c1e-6a55-4c0e-9a57-4f6f1d2c7a10'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
export const DESTINATIONS = {
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
export type DestinationName = keyof typeof DESTINATIONS

interface Surroundings {
  readonly apis: VendorApis
  readonly mailbox: Mailbox
}

/** The vendors' stand-ins and a mailbox, for all tests of a file. */
export function prepareVendorsAndMail(): Surroundings {
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
  return {
    get apis() {
      return apis
    },
    get mailbox() {
      return mailbox
    },
  }
}

export type EventSite = ReturnType<typeof prepareEventSite>

/** A site that sends events to the stand-ins, without a pixel before each test; and helpers. */
export function prepareEventSite(engine: EngineName, surroundings: Surroundings) {
  let running: TestApp
  let headers: Record<string, string>
  beforeAll(async () => {
    running = await startTestApp({
      engine,
      listen: true,
      env: {
        TRUST_PROXY: 'true',
        HTTPS_PROXY: surroundings.apis.proxyUrl,
        SITE_URL: 'https://www.exemplo.com.br',
        SMTP_URL: surroundings.mailbox.url,
      },
    })
    const { anon } = await readKeys(running)
    const login = await running.app.inject({
      method: 'POST',
      url: '/auth/v1/token?grant_type=password',
      headers: { apikey: anon },
      payload: PRINCIPAL,
    })
    headers = { apikey: anon, authorization: `Bearer ${login.json().access_token}` }
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    const { apis } = surroundings
    apis.received.length = 0
    apis.tunnels.length = 0
    apis.answer = () => undefined
    apis.isDown = false
    await running.forgetLimits()
  })
  afterEach(async () => {
    const { db } = running.database
    await running.app.inject({ method: 'DELETE', url: '/rest/v1/tracking_pixels?id=not.is.null', headers })
    await db.deleteFrom('tracking_pixels').execute()
    for (const table of ['audit_events', 'sign_up_hashes', 'newsletter_subscriptions'] as const)
      await db.deleteFrom(table).execute()
  })

  const add = (name: DestinationName, change: object = {}) => addRow({ ...DESTINATIONS[name], ...change })
  const addRow = async (row: object): Promise<Pixel> => {
    const answer = await running.app.inject({
      method: 'POST',
      url: '/rest/v1/tracking_pixels',
      headers: { ...headers, prefer: 'return=representation' },
      payload: row,
    })
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json()[0]
  }
  const patch = async (id: string, payload: object) => {
    const answer = await running.app.inject({
      method: 'PATCH',
      url: `/rest/v1/tracking_pixels?id=eq.${id}`,
      headers,
      payload,
    })
    expect(answer.statusCode, answer.body).toBe(204)
  }
  const admin = async <Body>(method: 'GET' | 'POST', url: string, payload?: object): Promise<Body> => {
    const answer = await running.app.inject({
      method,
      url: `/admin/api${url}`,
      headers,
      ...(payload && { payload }),
    })
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    return answer.json()
  }
  const choose = (
    id: string,
    categories: readonly OptionalCategory[],
    cookie = '',
    textVersion = CONSENT_TEXT_VERSION,
  ) =>
    running.app.inject({
      method: 'POST',
      url: '/api/consent',
      headers: { cookie },
      payload: { id, action: 'save', categories, text_version: textVersion, tag_set_version: '' },
    })
  const cookieOf = (id: string, granted: readonly OptionalCategory[], textVersion = CONSENT_TEXT_VERSION) =>
    `portico_consent=${formatConsent({ textVersion, granted: [...granted], asked: ALL, id })}`
  const send = (event: object, cookie: string, change: Record<string, string> = {}) =>
    running.app.inject({
      method: 'POST',
      url: '/api/events',
      headers: { cookie, 'user-agent': AGENT, 'x-forwarded-for': ADDRESS, ...change },
      payload: { id: randomUUID(), name: 'lead', path: '/', ...event },
    })
  /** A visitor with a recorded choice. */
  const visitor = async (granted: readonly OptionalCategory[], textVersion = CONSENT_TEXT_VERSION) => {
    const id = randomUUID()
    expect((await choose(id, granted, '', textVersion)).statusCode).toBe(204)
    return { id, cookie: cookieOf(id, granted, textVersion) }
  }
  const subscribe = async (email: string, cookie: string) => {
    const answer = await running.app.inject({
      method: 'POST',
      url: '/api/newsletter',
      headers: { cookie },
      payload: { email },
    })
    expect(answer.statusCode).toBe(200)
  }
  /** The hashes in Meta's events. */
  const hashes = () => metaEvents().map(({ user_data }) => user_data.em)
  /** Events only: a subscription waits in the same queue. */
  const events = () => running.database.db.selectFrom('deliveries').where('pixel_id', 'is not', null)
  const waiting = async () => (await events().select('id').execute()).length
  const untilEmpty = () => vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 30_000 })
  const counts = async (pixelId: string) => {
    // Over all hours: a new hour may begin between two events of a test.
    const rows = await sumCounts(running.database.db, {
      series: 'conversion',
      resolution: 'hour',
      subject: pixelId,
      from: 0,
    })
    const states: Record<string, number> = {}
    for (const { key, count } of rows) {
      const { state } = readDeliveryResult(key)
      states[state] = (states[state] ?? 0) + count
    }
    return states
  }
  const to = (host: string) => surroundings.apis.received.filter((request) => request.host === host)
  const metaEvents = () => to('graph.facebook.com').flatMap(({ body }) => body.data)

  return {
    get apis() {
      return surroundings.apis
    },
    get mailbox() {
      return surroundings.mailbox
    },
    get app() {
      return running.app
    },
    get database() {
      return running.database
    },
    get url() {
      return running.url
    },
    /** Headers of an administrator. */
    get headers() {
      return headers
    },
    add,
    addRow,
    patch,
    admin,
    choose,
    cookieOf,
    send,
    visitor,
    subscribe,
    hashes,
    events,
    waiting,
    untilEmpty,
    counts,
    to,
    metaEvents,
  }
}
