import type { FastifyInstance, InjectOptions } from 'fastify'
import { ADMIN_BOOT_ELEMENT_ID, type AdminBoot } from '#contract/admin-page.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#contract/durations.ts'
import type { SubscriptionPage } from '#contract/newsletter.ts'
import type { CreatedOutcomeKey } from '#contract/outcomes.ts'
import type { PixelHistory } from '#contract/pixel-history.ts'
import { siteDate } from '#contract/site.ts'
import type { TagOverview } from '#contract/tag-status.ts'
import type { SimulatedClock } from './clock.ts'
import { DEMO_OUTCOMES, type DemoOutcome } from './customers.ts'
import {
  BROKEN_HOTJAR,
  BROKEN_TOKEN,
  DEMO_PIXEL_NAMES,
  DEMO_PIXELS,
  type DemoPixelName,
  HOTJAR_BROKE_MS,
  makeServiceAccountKey,
} from './pixels.ts'
import { Random } from './random.ts'

type Who = 'principal' | 'helena' | 'rafael'

interface Person {
  email: string
  password: string
  agent: string
  address: string
}

const CHROME_ON_MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36'
const FIREFOX_ON_WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0'
const EDGE_ON_WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0'

/** One call to the site's API, like the dashboard. */
type Call = <Body = unknown>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  body?: object,
) => Promise<Body>

/** What a person does in one session. */
interface Sitting {
  at: number
  who: Who
  work: (call: Call) => Promise<unknown>
}

type PixelIds = Readonly<Record<DemoPixelName, string>>

/** The same for the same seed, so that addresses of the dashboard are too. */
export function demoPixelIds(seed: string): PixelIds {
  const random = new Random(`${seed} pixels`)
  return Object.fromEntries(DEMO_PIXEL_NAMES.map((name) => [name, random.uuid()])) as PixelIds
}

interface StoryDeps {
  app: FastifyInstance
  clock: SimulatedClock
  seed: string
  principal: { email: string; password: string }
  origin: string
  span: { from: number; until: number }
}

/** The administrators of the demo and their actions, in order of time. */
export class Administrators {
  readonly #deps: StoryDeps
  readonly #random: Random
  readonly #people: Record<Who, Person>
  readonly #story: Sitting[]
  readonly pixelIds: PixelIds
  /** For the company's own system, once it is connected. */
  outcomeKey: string | null = null
  #anonKey: Promise<string> | null = null

  constructor(deps: StoryDeps) {
    this.#deps = deps
    this.#random = new Random(`${deps.seed} administrators`)
    this.#people = {
      principal: { ...deps.principal, agent: CHROME_ON_MAC, address: '189.120.44.17' },
      helena: {
        email: 'helena.duarte@portico.example',
        password: 'girassol-varanda-quinta-73',
        agent: FIREFOX_ON_WINDOWS,
        address: '179.34.201.9',
      },
      rafael: {
        email: 'rafael.moura@portico.example',
        password: 'bicicleta-mirante-azul-46',
        agent: EDGE_ON_WINDOWS,
        address: '191.177.8.130',
      },
    }
    this.pixelIds = demoPixelIds(deps.seed)
    this.#story = this.#write().sort((a, b) => a.at - b.at)
  }

  /** When the next session begins. */
  get nextAt(): number {
    return this.#story[0]?.at ?? Number.POSITIVE_INFINITY
  }

  /** Simulates the next session: sign in, work, and often sign out. */
  async next(): Promise<void> {
    const sitting = this.#story.shift()
    if (sitting === undefined) return
    const { clock } = this.#deps
    const random = this.#random
    let now = sitting.at
    const call: Call = (method, url, body) => {
      now += random.integer(20, 140) * SECOND_MS
      return clock.at(now, () => this.#call(sitting.who, headers, method, url, body))
    }
    const headers = await clock.at(now, () => this.#signIn(sitting.who))
    await sitting.work(call)
    if (random.chance(0.5)) await call('POST', '/auth/v1/logout?scope=local')
  }

  /** A wrong password. */
  async #fail(who: Who): Promise<void> {
    const { app, clock, origin } = this.#deps
    const headers = await this.#dashboardHeaders(who)
    const response = await clock.at(clock.now + 4 * MINUTE_MS, () =>
      app.inject({
        method: 'POST',
        url: '/auth/v1/token?grant_type=password',
        headers,
        remoteAddress: this.#people[who].address,
        payload: { email: this.#people[who].email, password: 'senha-errada' },
      }),
    )
    if (response.statusCode !== 400) throw new Error(`a wrong password was accepted at ${origin}`)
  }

  async #signIn(who: Who): Promise<Record<string, string>> {
    const { email, password, address } = this.#people[who]
    const headers = await this.#dashboardHeaders(who)
    const session = await this.#inject<{ access_token: string }>({
      method: 'POST',
      url: '/auth/v1/token?grant_type=password',
      headers,
      remoteAddress: address,
      payload: { email, password },
    })
    return { ...headers, authorization: `Bearer ${session.access_token}` }
  }

  /** Headers of the dashboard's own calls. */
  async #dashboardHeaders(who: Who): Promise<Record<string, string>> {
    const { origin } = this.#deps
    const { host } = new URL(origin)
    this.#anonKey ??= this.#readAnonKey(host)
    const apikey = await this.#anonKey
    return { apikey, origin, host, 'sec-fetch-site': 'same-origin', 'user-agent': this.#people[who].agent }
  }

  /** From the dashboard's page. */
  async #readAnonKey(host: string): Promise<string> {
    const page = await this.#deps.app.inject({ url: '/admin', headers: { host } })
    const [, boot = ''] = page.body.split(`id="${ADMIN_BOOT_ELEMENT_ID}">`)
    return (JSON.parse(boot.slice(0, boot.indexOf('</script>'))) as AdminBoot).anonKey
  }

  #call<Body>(
    who: Who,
    headers: Record<string, string>,
    method: NonNullable<InjectOptions['method']>,
    url: string,
    payload?: object,
  ): Promise<Body> {
    return this.#inject<Body>({
      method,
      url,
      headers: { ...headers, prefer: 'return=representation' },
      remoteAddress: this.#people[who].address,
      ...(payload === undefined ? {} : { payload }),
    })
  }

  async #inject<Body>(options: InjectOptions): Promise<Body> {
    const response = await this.#deps.app.inject(options)
    if (response.statusCode >= 300)
      throw new Error(
        `${options.method} ${options.url} was answered with ${response.statusCode}: ${response.body}`,
      )
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return (isJson ? response.json() : response.body) as Body
  }

  #write(): Sitting[] {
    const { from, until } = this.#deps.span
    const life = until - from
    /** A share of the whole past, at working hours. */
    const share = (part: number) => workingTime(from + part * life, from, until)
    /** This long before the end; in a short past, late and in the same order. */
    const before = (ms: number) => Math.max(until - ms, from + (0.6 + 0.38 * (1 - ms / (25 * DAY_MS))) * life)
    const ids = this.pixelIds
    const sit = (at: number, who: Who, work: Sitting['work']): Sitting => ({ at, who, work })
    const add = (call: Call, name: DemoPixelName, secret = {}) =>
      call('POST', '/rest/v1/tracking_pixels', {
        id: ids[name],
        name: DEMO_PIXELS[name].name,
        ...DEMO_PIXELS[name].row,
        ...secret,
      })
    const edit = (call: Call, name: DemoPixelName, change: object) =>
      call('PATCH', `/rest/v1/tracking_pixels?id=eq.${ids[name]}`, change)
    const remove = (call: Call, name: DemoPixelName) =>
      call('DELETE', `/rest/v1/tracking_pixels?id=eq.${ids[name]}`)
    /** From here on the pixel's platform gets the outcome as this event. */
    const send = (call: Call, outcome: DemoOutcome, to: DemoPixelName, event: string, sends_value = false) =>
      call('PUT', `/admin/api/outcomes/names/${outcome}/destinations/${ids[to]}`, { event, sends_value })

    return [
      sit(from + 9 * MINUTE_MS, 'principal', async (call) => {
        await add(call, 'analytics')
        await add(call, 'meta')
        await add(call, 'verification')
        for (const who of ['helena', 'rafael'] as const) {
          const { email, password } = this.#people[who]
          await call('POST', '/rest/v1/admin_users', {
            email,
            password,
            role: who === 'helena' ? 'super_admin' : 'admin',
          })
        }
      }),
      sit(share(0.015), 'helena', async (call) => {
        await call('PUT', '/admin/api/alerts', {
          kinds: ['broken', 'token_refused', 'new_host', 'script_changed'],
        })
        await add(call, 'tagManager')
        await add(call, 'linkedin')
      }),
      sit(share(0.03), 'rafael', async (call) => {
        await add(call, 'oldAnalytics')
        await add(call, 'clarity')
        await edit(call, 'clarity', { reason: 'Ver onde as pessoas param na página e o que não encontram.' })
      }),
      sit(share(0.06), 'principal', async (call) => {
        await call('PUT', '/admin/api/alerts', { kinds: ['broken', 'token_refused'] })
      }),
      sit(share(0.1), 'rafael', async (call) => {
        await add(call, 'ads')
        await add(call, 'tiktok')
      }),
      sit(share(0.16), 'helena', async (call) => {
        await add(call, 'chat')
        await add(call, 'rdStation')
      }),
      sit(share(0.22), 'rafael', (call) => add(call, 'hotjar')),
      sit(share(0.27), 'helena', async (call) => {
        await edit(call, 'ads', { name: 'Google Ads' })
        await edit(call, 'ads', { name: 'Google Ads (campanha de inverno)' })
      }),
      sit(share(0.33), 'principal', async (call) => {
        await call('GET', `/admin/api/consent/export?from=${siteDate(from)}&to=${siteDate(share(0.33))}`)
        await call('PUT', '/admin/api/tags/pause', { paused: true })
        await call('PUT', '/admin/api/tags/pause', { paused: false })
      }),
      sit(share(0.4), 'rafael', async (call) => {
        await edit(call, 'tiktok', { name: 'TikTok (vídeos)' })
        await edit(call, 'tiktok', { is_active: false })
      }),
      sit(share(0.42), 'helena', async (call) => {
        await edit(call, 'tiktok', { is_active: true, name: 'TikTok Pixel' })
        const { versions } = await call<PixelHistory>('GET', `/admin/api/pixels/${ids.clarity}/history`)
        const first = versions.at(-1)?.id
        if (first !== undefined)
          await call('POST', `/admin/api/pixels/${ids.clarity}/restore`, { version: first })
      }),
      // Not for the whole past: every visit sends one more request from here on.
      sit(before(40 * DAY_MS), 'principal', (call) =>
        edit(call, 'meta', { delivery: 'both', access_token: 'EAAG-demonstracao-principal' }),
      ),
      sit(before(50 * DAY_MS), 'helena', async (call) => {
        for (const [name, label] of Object.entries(DEMO_OUTCOMES))
          await call('POST', '/admin/api/outcomes/names', { name, label })
        const wanted = { name: 'Sistema de contas', mode: 'live' }
        const { key } = await call<CreatedOutcomeKey>('POST', '/admin/api/outcomes/keys', wanted)
        this.outcomeKey = key
      }),
      sit(before(38 * DAY_MS), 'helena', async (call) => {
        await send(call, 'conta_aprovada', 'meta', 'CompleteRegistration')
        await send(call, 'primeira_venda', 'meta', 'Purchase', true)
      }),
      sit(before(24 * DAY_MS), 'helena', async (call) => {
        await add(call, 'partners')
        await send(call, 'conta_aprovada', 'partners', 'CompleteRegistration')
      }),
      sit(before(22 * DAY_MS), 'rafael', (call) =>
        add(call, 'searchAds', { access_token: makeServiceAccountKey() }),
      ),
      sit(before(20 * DAY_MS), 'principal', (call) => add(call, 'crm')),
      sit(before(19 * DAY_MS), 'helena', (call) =>
        send(call, 'conta_aprovada', 'crm', 'outcome.conta_aprovada'),
      ),
      sit(share(0.55), 'rafael', async (call) => {
        await edit(call, 'ads', { is_active: false })
        await add(call, 'kwai')
      }),
      sit(before(10 * DAY_MS), 'principal', async (call) => {
        await add(call, 'erp')
        await send(call, 'conta_aprovada', 'erp', 'outcome.conta_aprovada')
        await send(call, 'primeira_venda', 'erp', 'outcome.primeira_venda', true)
      }),
      sit(share(0.7), 'rafael', async (call) => {
        await edit(call, 'linkedin', {
          conversion_labels: { lead: '18273645', contact: '18273653', sign_up: '18273661' },
        })
      }),
      sit(share(0.78), 'helena', async (call) => {
        await edit(call, 'rdStation', {
          reason: 'Automação de e-mail da equipe comercial e de sucesso do cliente.',
        })
        await call('GET', '/admin/api/subscriptions/export')
        const { subscriptions } = await call<SubscriptionPage>('GET', '/admin/api/subscriptions')
        const last = subscriptions.at(-1)
        if (last !== undefined) await call('POST', '/admin/api/subscriptions/erase', { email: last.email })
      }),
      sit(before(11 * DAY_MS), 'rafael', async (call) => {
        await remove(call, 'kwai')
        await remove(call, 'oldAnalytics')
      }),
      sit(before(9 * DAY_MS), 'helena', async (call) => {
        await remove(call, 'chat')
        await call('POST', `/admin/api/trash/${ids.chat}/restore`)
      }),
      sit(before(HOTJAR_BROKE_MS), 'rafael', (call) => edit(call, 'hotjar', { code: BROKEN_HOTJAR })),
      sit(before(21 * HOUR_MS), 'helena', async (call) => {
        await edit(call, 'partners', { access_token: BROKEN_TOKEN })
        const overview = await call<TagOverview>('GET', '/admin/api/tags')
        const [host] = overview.blocked_hosts
        if (host !== undefined && host.pixel_ids.length === 0)
          await call('DELETE', `/admin/api/blocked-hosts/${host.id}`)
      }),
      sit(before(3 * HOUR_MS), 'principal', (call) => call('GET', '/admin/api/tags')),
      sit(before(5 * DAY_MS), 'helena', async (call) => {
        await this.#fail('rafael')
        await call('GET', '/admin/api/activity')
      }),
      sit(before(3 * MINUTE_MS), 'rafael', (call) => add(call, 'pinterest')),
      ...this.#routine(from, until),
    ]
  }

  /** Between days with changes, people only look at the dashboard. */
  #routine(from: number, until: number): Sitting[] {
    const random = this.#random
    const sittings: Sitting[] = []
    for (let at = from + 1.5 * DAY_MS; at < until - HOUR_MS; at += random.between(0.7, 2.6) * DAY_MS) {
      const who = random.weighted({ principal: 0.25, helena: 0.4, rafael: 0.35 })
      const time = workingTime(at + random.between(-3, 3) * HOUR_MS, from + DAY_MS, until)
      sittings.push({ at: time, who, work: (call) => call('GET', '/admin/api/today') })
    }
    return sittings
  }
}

/** The same day, between nine and six at the site. */
function workingTime(time: number, from: number, until: number): number {
  const hour = (Math.floor(time / HOUR_MS) + 24 - 3) % 24
  const moved = hour < 9 ? time + (9 - hour) * HOUR_MS : hour > 17 ? time - (hour - 17) * HOUR_MS : time
  return Math.min(Math.max(moved, from + 30 * MINUTE_MS), until - 4 * MINUTE_MS)
}
