import type { OwnLogin } from '#contract/account.ts'
import type { ActivityEvent, ActivityPage } from '#contract/activity.ts'
import type { AdminUser } from '#contract/admin-user.ts'
import type { AlertChoice } from '#contract/alerts.ts'
import { CONVERSIONS, type Conversion } from '#contract/conversion.ts'
import type { DeliveryCheck, PixelDeliveries } from '#contract/delivery-log.ts'
import type { LedgerStep, PixelLedger } from '#contract/ledger.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { DeletedPixel, PixelConflict, PixelHistory } from '#contract/pixel-history.ts'
import type { ProductionGap } from '#contract/production-gap.ts'
import type { Subscription, SubscriptionPage } from '#contract/subscription.ts'
import type { PixelCost } from '#contract/tag-cost.ts'
import type { BlockedHost, PixelHost, PixelStatus, TagOverview, TagPreview } from '#contract/tag-status.ts'
import type { TagTest } from '#contract/tag-test.ts'
import { TODAY_FIGURES, type Today, type TodayFigure } from '#contract/today.ts'
import { groupBlockedHosts } from '#server/tags/hosts/group-blocked-hosts.ts'
import { type Call, json, ScriptedServer } from './scripted-server.ts'

/** What component tests take for now. */
export const NOW = '2026-11-15T12:00:00.000Z'
const LONG_AGO = '2026-11-01T12:00:00.000Z'

export const MARINA = { id: '0a6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d01', email: 'marina@portico.example' }
export const BIA = { id: '0a6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d02', email: 'bia@portico.example' }
export const PASSWORD = 'ponte-lilas-grafite-58'

/** What the scripted server has stored; a test changes it as another person would. */
export class ScriptedSite extends ScriptedServer {
  pixels: Pixel[] = []
  users: AdminUser[] = [makeUser({ ...MARINA, is_principal: true, role: 'super_admin' }), makeUser(BIA)]
  logins: OwnLogin[] = [makeLogin('esta', { current: true })]
  statuses: PixelStatus[] = []
  overview: Omit<TagOverview, 'pixels' | 'blocked_groups'> = {
    paused: null,
    trusts_container: false,
    policy: { bytes: 900, warn_from: 4096, limit: 8192, largest: [] },
    blocked_hosts: [],
  }
  trash: Pixel[] = []
  /** Of every pixel. */
  ledger = (step: LedgerStep): PixelLedger => ({ step, from: LONG_AGO, to: NOW, rows: [] })
  conversions: Partial<Record<Conversion, number>> = {}
  conflict: PixelConflict = { saved_by: BIA.email, saved_at: NOW, changes: [] }
  /** Of every pixel. */
  deliveries: PixelDeliveries = makeDeliveries()
  check: DeliveryCheck = makeCheck()
  history: PixelHistory = { versions: [], next: null }
  /** Of every pixel, the newest first. */
  tests: TagTest[] = []
  /** Of every pixel. */
  hosts: PixelHost[] = []
  preview: TagPreview = makePreview()
  codesLeft = 10
  today: Today = makeToday()
  subscriptions: Subscription[] = []
  activity: ActivityEvent[] = []
  cost: PixelCost = { own: null, all: null }
  alerts: AlertChoice = { kinds: [], can_send: true }
  /** Whether a webhook is configured. */
  delivers = true
  /** What the installation lacks. */
  gaps: ProductionGap[] = []
  factors: { id: string; status: string; factor_type: string; friendly_name: string }[] = []
  #saves = 0

  constructor() {
    super()
    this.#scriptAuth()
    this.#scriptData()
    this.#scriptAdmin()
  }

  /** A pixel that is doing so; null where nobody knows. */
  addPixel(name: string, status: Partial<PixelStatus> | null, pixel: Partial<Pixel> = {}): Pixel {
    const added = makePixel({ name, ...pixel })
    this.pixels.push(added)
    if (status !== null) this.statuses.push(makeStatus(added, status))
    return added
  }

  /** As the auth service tells a session. */
  sessionOf(user: { id: string; email: string }, aal = 'aal1') {
    const payload = btoa(JSON.stringify({ sub: user.id, aal, exp: Date.parse(NOW) / 1000 + 3600 }))
    return {
      access_token: `e30.${payload}.x`,
      refresh_token: 'refresh',
      token_type: 'bearer',
      expires_in: 3600,
      expires_at: Date.parse(NOW) / 1000 + 3600,
      user: { ...user, factors: this.factors, app_metadata: {}, user_metadata: {}, aud: '', created_at: NOW },
    }
  }

  #scriptAuth(): void {
    const known = (email: unknown) => this.users.find((user) => user.email === email) ?? MARINA
    this.answer('POST /auth/v1/token', ({ body }) => {
      const { email = MARINA.email, password } = body as { email?: string; password?: string }
      if (password !== undefined && password !== PASSWORD)
        return json({ code: 'invalid_credentials', msg: 'Invalid login credentials' }, 400)
      return this.sessionOf(known(email))
    })
    this.answer(
      'GET /auth/v1/user',
      ({ headers }) => this.sessionOf(known(emailOf(headers, this.users))).user,
    )
    this.answer('POST /auth/v1/logout', () => null)
    this.answer('POST /auth/v1/recover', () => ({}))
  }

  #scriptData(): void {
    for (const [table, rows] of [
      ['tracking_pixels', () => this.pixels],
      ['admin_users', () => this.users],
    ] as const) {
      const path = `/rest/v1/${table}`
      this.answer(`GET ${path}`, (call) => rows().filter((row) => matches(row, call)))
      this.answer(`PATCH ${path}`, (call) => {
        const found = rows().filter((row) => matches(row, call))
        const at = this.#nextTime()
        for (const row of found)
          Object.assign(row, withoutSecret(call.body as object, at), { updated_at: at })
        return found
      })
      this.answer(`DELETE ${path}`, (call) => {
        const gone = rows().filter((row) => matches(row, call))
        for (const row of gone) (rows() as unknown[]).splice(rows().indexOf(row as never), 1)
        if (table === 'tracking_pixels') this.trash.unshift(...(gone as Pixel[]))
        return gone
      })
      this.answer(`POST ${path}`, ({ body }) => {
        const at = this.#nextTime()
        const row = { ...withoutSecret(body as object, at), id: crypto.randomUUID(), ...stamps(at) }
        ;(rows() as unknown[]).unshift(row)
        return row
      })
    }
  }

  #scriptAdmin(): void {
    const overview = (): TagOverview => ({
      ...this.overview,
      pixels: this.statuses,
      blocked_groups: groupBlockedHosts(this.overview.blocked_hosts),
    })
    const settle = (ids: readonly string[]) => {
      this.overview.blocked_hosts = this.overview.blocked_hosts.filter(({ id }) => !ids.includes(id))
      return overview()
    }
    this.answer('GET /admin/api/tags', overview)
    this.answer('PUT /admin/api/tags/pause', ({ body }) => {
      this.overview.paused = (body as { paused: boolean }).paused ? { at: NOW, by: MARINA.email } : null
      return overview()
    })
    this.answer('POST /admin/api/tags/preview', () => this.preview)
    this.answer('GET /admin/api/tags/*/hours', () => ({ hours: [] }))
    this.answer('GET /admin/api/tags/*/hosts', () => ({ hosts: this.hosts }))
    this.answer('DELETE /admin/api/tags/*/hosts/*', (_call, [, host = '']) => {
      this.hosts = this.hosts.filter((entry) => entry.host !== decodeURIComponent(host))
      return overview()
    })
    this.answer('POST /admin/api/blocked-hosts/allow', ({ body }) => settle((body as { ids: string[] }).ids))
    this.answer('DELETE /admin/api/blocked-hosts/*', (_call, [id = '']) => settle([id]))
    this.answer('GET /admin/api/pixels/*/ledger', ({ query }) => this.ledger(query.get('step') as LedgerStep))
    this.answer('GET /admin/api/pixels/*/conversions', () => ({
      conversions: CONVERSIONS.map((conversion) => ({
        conversion,
        count: this.conversions[conversion] ?? 0,
      })),
    }))
    this.answer('GET /admin/api/pixels/*/cost', () => this.cost)
    this.answer('GET /admin/api/pixels/*/history', ({ query }) =>
      query.get('before') === null ? this.history : { versions: [], next: null },
    )
    this.answer('POST /admin/api/pixels/*/restore', () => null)
    this.answer('GET /admin/api/pixels/*/tests', () => ({
      tests: this.tests.map(({ steps: _steps, ...summary }) => summary),
    }))
    this.answer('POST /admin/api/pixels/*/tests', () => {
      const test = makeTest({ state: 'waiting' })
      this.tests.unshift(test)
      return { id: test.id, url: `http://localhost:3000/#teste=${test.id}`, expires_at: test.expires_at }
    })
    this.answer('GET /admin/api/pixels/*/tests/*', (_call, [, id]) => {
      const test = this.tests.find((each) => each.id === id)
      return test ?? json({ error: 'not_found', message: 'Este teste não existe mais.' }, 404)
    })
    this.answer('GET /admin/api/pixels/*/deliveries', () => this.deliveries)
    this.answer('POST /admin/api/pixels/*/deliveries/retry', () => {
      this.deliveries = { ...this.deliveries, stopped: null, next_attempt_at: NOW }
      return { waiting: this.deliveries.waiting }
    })
    this.answer('POST /admin/api/pixels/*/check', () => this.check)
    this.answer('GET /admin/api/trash', () => ({
      pixels: this.trash.map((pixel) => makeDeleted(pixel)),
      total: this.trash.length,
    }))
    this.answer('POST /admin/api/trash/*/restore', (_call, [id]) => {
      this.pixels.push(...this.trash.filter((pixel) => pixel.id === id))
      this.trash = this.trash.filter((pixel) => pixel.id !== id)
      return null
    })
    this.#scriptSubscriptions()
    this.answer('GET /admin/api/activity', ({ query }): ActivityPage => {
      const found = this.activity.filter(
        ({ by, kind, text }) =>
          `${by} ${text}`.includes(query.get('search') ?? '') &&
          by === (query.get('by') ?? by) &&
          kind === (query.get('kind') ?? kind),
      )
      const from = Number(query.get('before') ?? 0)
      return {
        events: found.slice(from, from + 50),
        next: found.length > from + 50 ? String(from + 50) : null,
        kept_days: 730,
        failed_login_days: 90,
        people: [MARINA, BIA].map(({ email }) => ({ value: email, label: email })),
      }
    })
    this.answer('GET /admin/api/activity/export', () => new Response('quando\r\n'))
    this.answer('GET /admin/api/alerts', () => this.alerts)
    this.answer('PUT /admin/api/alerts', ({ body }) => {
      this.alerts = { ...this.alerts, ...(body as Pick<AlertChoice, 'kinds'>) }
      return this.alerts
    })
    this.answer('POST /admin/api/pixels/*/compare', () => this.conflict)
    this.answer('GET /admin/api/today', () => this.today)
    this.answer('GET /admin/api/logins', () => ({ logins: this.logins }))
    this.answer('DELETE /admin/api/logins/*', (_call, [id]) => {
      this.logins = this.logins.filter((login) => login.id !== id)
      return null
    })
    this.answer('GET /admin/api/notices', () => ({ gaps: this.gaps }))
    this.answer('GET /admin/api/recovery-codes', () => ({ left: this.codesLeft }))
    this.answer('POST /admin/api/recovery-codes', () => ({
      codes: Array.from({ length: 10 }, (_, n) => `aaaa${n}-bbbb${n}`),
    }))
  }

  #scriptSubscriptions(): void {
    const PAGE = 50
    const inState = (state: string) => this.subscriptions.filter(({ status }) => status === state)
    this.answer('GET /admin/api/subscriptions', ({ query }): SubscriptionPage => {
      const found = this.subscriptions.filter(
        ({ email, status }) =>
          email.includes(query.get('search') ?? '') && status === (query.get('status') ?? status),
      )
      const from = Number(query.get('before') ?? 0)
      return {
        subscriptions: found.slice(from, from + PAGE),
        next: found.length > from + PAGE ? String(from + PAGE) : null,
        ...(from > 0
          ? {}
          : {
              counts: {
                pending: inState('pending').length,
                delivered: inState('delivered').length,
                failed: inState('failed').length,
              },
            }),
        delivers: this.delivers,
      }
    })
    this.answer('POST /admin/api/subscriptions/retry', ({ body }) => {
      const { id } = body as { id?: string }
      for (const one of inState('failed')) if (id === undefined || one.id === id) one.status = 'pending'
      return null
    })
    this.answer('POST /admin/api/subscriptions/erase', ({ body }) => {
      const { email } = body as { email: string }
      const gone = this.subscriptions.find((one) => one.email === email)
      if (gone === undefined)
        return json({ error: 'not_found', message: 'Não há inscrição com este e-mail.' }, 404)
      this.subscriptions = this.subscriptions.filter((one) => one !== gone)
      return { was_delivered: gone.status === 'delivered' }
    })
    this.answer('GET /admin/api/subscriptions/export', () => new Response('email\r\n'))
  }

  #nextTime(): string {
    this.#saves += 1
    return new Date(Date.parse(NOW) + this.#saves * 1000).toISOString()
  }
}

export function makePixel(pixel: Partial<Pixel> = {}): Pixel {
  return {
    id: crypto.randomUUID(),
    name: 'Meta Principal',
    type: 'meta',
    pixel_id: '482910377165024',
    code: '<script>fbq()</script>',
    is_active: true,
    allowed_hosts: [],
    consent_category: 'marketing',
    vendor: null,
    conversion_labels: {},
    delivery: 'browser',
    has_access_token: false,
    access_token_stored_at: null,
    webhook_url: null,
    send_hashed_email: false,
    auto_disable: false,
    runs_in: 'page',
    reason: null,
    ...stamps(LONG_AGO),
    ...pixel,
  }
}

export function makeTest(test: Partial<TagTest> = {}): TagTest {
  return {
    id: crypto.randomUUID(),
    created_at: NOW,
    expires_at: NOW,
    by: MARINA.email,
    is_mine: true,
    state: 'done',
    delivery: 'browser',
    awaits_copies: false,
    steps: [],
    verdict: { health: 'waiting', confirmed: false, title: 'Esperando o site abrir', text: 'Em outra aba.' },
    ...test,
  }
}

export function makeDeliveries(deliveries: Partial<PixelDeliveries> = {}): PixelDeliveries {
  return {
    deliveries: [],
    waiting: 0,
    next_attempt_at: null,
    stopped: null,
    refusals: [],
    ...deliveries,
  }
}

export function makeCheck(check: Partial<DeliveryCheck> = {}): DeliveryCheck {
  return {
    state: 'accepted',
    request: {
      method: 'POST',
      url: 'https://graph.facebook.com/v26.0/482910377165024/events',
      body: { data: [{ event_name: 'PageView', action_source: 'website' }], test_event_code: 'TEST48213' },
    },
    response: { status: 200, body: '{"events_received":1,"messages":[]}' },
    message: 'A Meta recebeu o evento de teste.',
    ...check,
  }
}

export function makeUser(user: Partial<AdminUser> & { id: string; email: string }): AdminUser {
  return { role: 'admin', is_principal: false, ...stamps(LONG_AGO), ...user }
}

export function makeLogin(id: string, login: Partial<OwnLogin> = {}): OwnLogin {
  const user_agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36'
  return { id, user_agent, created_at: LONG_AGO, last_used_at: NOW, current: false, address: null, ...login }
}

export function makeStatus(pixel: Pixel, status: Partial<PixelStatus> = {}): PixelStatus {
  const counts = { ran: 0, blocked: 0, failed: 0 }
  return {
    pixel_id: pixel.id,
    runnable: true,
    warnings: [],
    ...counts,
    last_ran_at: null,
    last_error: null,
    health: 'waiting',
    confirmed: false,
    reasons: [],
    vendor: null,
    hosts: [],
    ...status,
  }
}

function makeDeleted({ id, name, type, pixel_id, is_active: was_active }: Pixel): DeletedPixel {
  return {
    id,
    name,
    type,
    pixel_id,
    was_active,
    deleted_at: '2026-11-14T12:00:00.000Z',
    deleted_by: BIA.email,
    kept_until: '2026-12-14T12:00:00.000Z',
  }
}

export function makePreview(preview: Partial<TagPreview> = {}): TagPreview {
  return {
    warnings: [],
    hosts: [],
    steps: 1,
    kind: 'script',
    recognised: null,
    allowed: [],
    sends: [],
    labels: [],
    runs_in: null,
    ...preview,
  }
}

export function makeBlocked(host: string, blocked: Partial<BlockedHost> = {}): BlockedHost {
  return {
    id: host,
    pixel_id: null,
    host,
    count: 1,
    last_seen_at: '2026-11-15T11:00:00.000Z',
    vendor: null,
    permit: 'single',
    pixel_ids: [],
    ...blocked,
  }
}

export function makeSubscription(email: string, subscription: Partial<Subscription> = {}): Subscription {
  return {
    id: crypto.randomUUID(),
    email,
    status: 'delivered',
    attempts: 1,
    last_error: null,
    next_attempt_at: NOW,
    created_at: LONG_AGO,
    delivered_at: LONG_AGO,
    ...subscription,
  }
}

/** A first day on which nothing happened, and nothing of before is known. */
export function makeToday(figures: Partial<Today> = {}): Today {
  const none: TodayFigure = { today: 0, days: [null, null, null, null, null, null, 0] }
  return {
    ...(Object.fromEntries(TODAY_FIGURES.map((name) => [name, none])) as Record<
      (typeof TODAY_FIGURES)[number],
      TodayFigure
    >),
    until: NOW,
    yesterday_until: '2026-11-14T12:10:00.000Z',
    dates: Array.from({ length: 7 }, (_, day) => `2026-11-${String(day + 9).padStart(2, '0')}`),
    counted_since: null,
    ...figures,
  }
}

/** A secret is written and never read: the row only tells that there is one, and since when. */
function withoutSecret(body: object, at: string): object {
  const { access_token, ...columns } = body as { access_token?: string | null }
  if (access_token === undefined) return columns
  const isKept = access_token !== null
  return { ...columns, has_access_token: isKept, access_token_stored_at: isKept ? at : null }
}

function stamps(at: string): { created_at: string; updated_at: string } {
  return { created_at: at, updated_at: at }
}

/** PostgREST's `column=eq.value`, which is all that the dashboard asks by. */
function matches(row: object, { query }: Call): boolean {
  return [...query].every(
    ([column, value]) =>
      !value.startsWith('eq.') || String((row as Record<string, unknown>)[column]) === value.slice(3),
  )
}

function emailOf(headers: Headers, users: AdminUser[]): string | undefined {
  const token = headers.get('authorization')?.split('.')[1]
  if (token === undefined) return undefined
  return users.find(({ id }) => id === JSON.parse(atob(token)).sub)?.email
}
