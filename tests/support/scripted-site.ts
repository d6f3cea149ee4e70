import type { AdminUser, OwnLogin } from '#contract/accounts.ts'
import type { ActivityEvent, ActivityPage } from '#contract/activity.ts'
import type { FirstSteps, InstallationProblem, ProductionGap } from '#contract/admin-page.ts'
import type { AlertChoice, AlertWebhook } from '#contract/alerts.ts'
import {
  CONVERSIONS,
  type Conversion,
  type DeliveryCheck,
  type PixelDeliveries,
} from '#contract/conversions.ts'
import type { Subscription } from '#contract/newsletter.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelConflict, PixelHistory } from '#contract/pixel-history.ts'
import type { PixelCost } from '#contract/tag-cost.ts'
import type { PixelHost, PixelStatus, TagOverview, TagPreview } from '#contract/tag-status.ts'
import type { TagTest } from '#contract/tag-test.ts'
import type { VisitReport } from '#contract/visit-report.ts'
import type { Today, VisitResultStep, VisitResults } from '#contract/visit-results.ts'
import { serveDestinations } from '#server/conversions/destinations/destinations.ts'
import { groupBlockedHosts } from '#server/tags/hosts/blocked-hosts.ts'
import { scriptSubscriptions } from './script-subscriptions.ts'
import {
  BIA,
  LONG_AGO,
  MARINA,
  makeCheck,
  makeDeleted,
  makeDeliveries,
  makeLogin,
  makeOutcomeReport,
  makePixel,
  makePreview,
  makeStatus,
  makeTest,
  makeToday,
  makeUser,
  makeVisits,
  NOW,
  PASSWORD,
  stamps,
} from './scripted-rows.ts'
import { type Call, json, ScriptedServer } from './scripted-server.ts'

/** The data of the scripted server; a test changes it like another person. */
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
  ledger = (step: VisitResultStep): VisitResults => ({ step, from: LONG_AGO, to: NOW, rows: [] })
  conversions: Partial<Record<Conversion, number>> = {}
  conflict: PixelConflict = { saved_by: BIA.email, saved_at: NOW, changes: [] }
  /** Of every pixel. */
  deliveries: PixelDeliveries = makeDeliveries()
  check: DeliveryCheck = makeCheck()
  history: PixelHistory = { versions: [], next: null }
  /** Of every pixel, newest first. */
  tests: TagTest[] = []
  /** Of every pixel. */
  hosts: PixelHost[] = []
  preview: TagPreview = makePreview()
  codesLeft = 10
  today: Today = makeToday()
  visits: (query: URLSearchParams) => VisitReport = () => makeVisits()
  subscriptions: Subscription[] = []
  activity: ActivityEvent[] = []
  cost: PixelCost = { own: null, all: null }
  alerts: AlertChoice = { kinds: [], weekly_summary: false, can_send: true }
  /** The chat that gets alerts. */
  chat: AlertWebhook | null = null
  /** Whether a webhook is configured. */
  delivers = true
  /** What the installation lacks. */
  gaps: ProductionGap[] = []
  /** Null, as in a demonstration: the list alone. */
  firstSteps: FirstSteps | null = null
  offersPassword = false
  problems: InstallationProblem[] = []
  factors: { id: string; status: string; factor_type: string; friendly_name: string }[] = []
  #saves = 0

  constructor() {
    super()
    this.#scriptAuth()
    this.#scriptData()
    this.#scriptAdmin()
  }

  /** A pixel with this status; null if unknown. */
  addPixel(name: string, status: Partial<PixelStatus> | null, pixel: Partial<Pixel> = {}): Pixel {
    const added = makePixel({ name, ...pixel })
    this.pixels.push(added)
    if (status !== null) this.statuses.push(makeStatus(added, status))
    return added
  }

  /** A session as the auth service returns it. */
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
      const select = (found: object[], call: Call) => found.map((row) => pickColumns(row, call))
      this.answer(`GET ${path}`, (call) =>
        select(
          rows().filter((row) => matches(row, call)),
          call,
        ),
      )
      this.answer(`PATCH ${path}`, (call) => {
        const found = rows().filter((row) => matches(row, call))
        const at = this.#nextTime()
        for (const row of found)
          Object.assign(row, withoutSecret(call.body as object, at), { updated_at: at })
        return select(found, call)
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
    this.answer('GET /admin/api/pixels/*/ledger', ({ query }) =>
      this.ledger(query.get('step') as VisitResultStep),
    )
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
    this.answer('GET /admin/api/destinations', () => serveDestinations())
    this.answer('GET /admin/api/pixels/*/deliveries', () => this.deliveries)
    this.answer('POST /admin/api/pixels/*/deliveries/retry', () => {
      this.deliveries = { ...this.deliveries, stopped: null, next_attempt_at: NOW }
      return { waiting: this.deliveries.waiting }
    })
    this.answer('POST /admin/api/pixels/*/check', () => this.check)
    this.answer('POST /admin/api/pixels/check', () => this.check)
    this.answer('GET /admin/api/trash', () => ({
      pixels: this.trash.map((pixel) => makeDeleted(pixel)),
      total: this.trash.length,
    }))
    this.answer('POST /admin/api/trash/*/restore', (_call, [id]) => {
      this.pixels.push(...this.trash.filter((pixel) => pixel.id === id))
      this.trash = this.trash.filter((pixel) => pixel.id !== id)
      return null
    })
    scriptSubscriptions(this)
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
    this.answer('GET /admin/api/alerts/webhook', () => ({ webhook: this.chat }))
    this.answer('PUT /admin/api/alerts', ({ body }) => {
      this.alerts = { ...this.alerts, ...(body as Partial<AlertChoice>) }
      return this.alerts
    })
    this.answer('POST /admin/api/pixels/*/compare', () => this.conflict)
    this.answer('GET /admin/api/today', () => this.today)
    this.answer('GET /admin/api/visits', ({ query }) => this.visits(query))
    this.answer('GET /admin/api/outcomes', ({ query }) => makeOutcomeReport(query))
    this.answer('GET /admin/api/logins', () => ({ logins: this.logins }))
    this.answer('DELETE /admin/api/logins/*', (_call, [id]) => {
      this.logins = this.logins.filter((login) => login.id !== id)
      return null
    })
    this.answer('GET /admin/api/notices', () => ({
      gaps: this.gaps,
      problems: this.problems,
      first_steps: this.firstSteps,
      offers_password: this.offersPassword,
    }))
    this.answer('POST /admin/api/clock/confirm', () => {
      this.problems = []
      return null
    })
    this.answer('GET /admin/api/recovery-codes', () => ({ left: this.codesLeft }))
    this.answer('POST /admin/api/recovery-codes', () => ({
      codes: Array.from({ length: 10 }, (_, n) => `aaaa${n}-bbbb${n}`),
    }))
  }

  #nextTime(): string {
    this.#saves += 1
    return new Date(Date.parse(NOW) + this.#saves * 1000).toISOString()
  }
}

/** A secret is never returned: the row only says that there is one, and since when. */
function withoutSecret(body: object, at: string): object {
  const { access_token, ...columns } = body as { access_token?: string | null }
  if (access_token === undefined) return columns
  const isKept = access_token !== null
  return { ...columns, has_access_token: isKept, access_token_stored_at: isKept ? at : null }
}

/** Of PostgREST's operators those that the dashboard asks by: `eq.value`, `is.null` and `ilike.*text*`. */
function matches(row: object | null, { query }: Call): boolean {
  return [...query].every(([column, test]) => {
    const value = (row as Record<string, unknown> | null)?.[column]
    if (test.startsWith('eq.')) return String(value) === test.slice(3)
    if (test === 'is.null') return value === null
    if (!test.startsWith('ilike.')) return true
    return String(value).toLowerCase().includes(test.slice(7, -1).replaceAll('\\', '').toLowerCase())
  })
}

/** The columns that were asked for: what a screen shows and did not ask for must not be there. */
function pickColumns(row: object | null, { query }: Call): object | null {
  const columns = query.get('select') ?? '*'
  if (columns === '*' || row === null) return row
  return Object.fromEntries(Object.entries(row).filter(([column]) => columns.split(',').includes(column)))
}

function emailOf(headers: Headers, users: AdminUser[]): string | undefined {
  const token = headers.get('authorization')?.split('.')[1]
  if (token === undefined) return undefined
  return users.find(({ id }) => id === JSON.parse(atob(token)).sub)?.email
}
