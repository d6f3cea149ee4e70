import type { AdminUser, OwnLogin } from '#contract/accounts.ts'
import type { DeliveryCheck, PixelDeliveries } from '#contract/conversions.ts'
import type { Subscription } from '#contract/newsletter.ts'
import type { OutcomeReport } from '#contract/outcomes.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { DeletedPixel } from '#contract/pixel-history.ts'
import type { BlockedHost, PixelStatus, TagPreview } from '#contract/tag-status.ts'
import type { TagTest } from '#contract/tag-test.ts'
import type { VisitReport } from '#contract/visit-report.ts'
import { TODAY_FIGURES, type Today, type TodayFigure } from '#contract/visit-results.ts'
import { blankPixel } from './blank-pixel.ts'

/** The current time of component tests. */
export const NOW = '2026-11-15T12:00:00.000Z'
export const LONG_AGO = '2026-11-01T12:00:00.000Z'

export const MARINA = { id: '0a6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d01', email: 'marina@portico.example' }
export const BIA = { id: '0a6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d02', email: 'bia@portico.example' }
export const PASSWORD = 'ponte-lilas-grafite-58'

export function makePixel(pixel: Partial<Pixel> = {}): Pixel {
  return {
    ...blankPixel(),
    id: crypto.randomUUID(),
    name: 'Meta Principal',
    type: 'meta',
    pixel_id: '482910377165024',
    code: '<script>fbq()</script>',
    is_active: true,
    consent_category: 'marketing',
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
    verdict: {
      health: 'waiting',
      confirmed: false,
      title: 'Aguardando você abrir o site',
      text: 'Em outra aba.',
    },
    ...test,
  }
}

export function makeDeliveries(deliveries: Partial<PixelDeliveries> = {}): PixelDeliveries {
  return {
    deliveries: [],
    waiting: 0,
    next_attempt_at: null,
    first_expires_at: null,
    stopped: null,
    confirmations: null,
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

export function makeDeleted({ id, name, type, pixel_id, is_active: was_active }: Pixel): DeletedPixel {
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
    triggers: [],
    about: null,
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
    is_current: true,
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

/** A first day without any events or history. */
export function makeToday(figures: Partial<Today> = {}): Today {
  const days = [null, null, null, null, null, null, 0]
  const none: TodayFigure = { today: 0, days, days_until: days }
  return {
    ...(Object.fromEntries(TODAY_FIGURES.map((name) => [name, none])) as Record<
      (typeof TODAY_FIGURES)[number],
      TodayFigure
    >),
    until: NOW,
    compared_until: '2026-11-15T12:00:00.000Z',
    dates: Array.from({ length: 7 }, (_, day) => `2026-11-${String(day + 9).padStart(2, '0')}`),
    counted_since: null,
    counts_visits: true,
    ...figures,
  }
}

const VISIT_NUMBERS = { visits: 0, visitors: 0, clicks: { lead: 0, contact: 0 } }

/** A report without a visit, unless the test says otherwise. */
export function makeVisits(report: Partial<VisitReport> = {}): VisitReport {
  return {
    is_on: true,
    since: LONG_AGO,
    totals: { ...VISIT_NUMBERS, views: 0, subscriptions: 0, robots: 0 },
    series: [],
    rows: [],
    pages: [],
    estimated_days: [],
    hides_addresses: false,
    ...report,
  }
}

export function stamps(at: string): { created_at: string; updated_at: string } {
  return { created_at: at, updated_at: at }
}

/** `GET /admin/api/outcomes` of a site to which nothing was reported yet. */
export function makeOutcomeReport(query: URLSearchParams): OutcomeReport {
  return {
    mode: query.get('mode') === 'test' ? 'test' : 'live',
    from: '2026-10-21',
    to: '2026-11-19',
    totals: { count: 0, tied: 0, values: [], duplicates: 0, refused: 0 },
    rows: [],
    destinations: [],
    keys: [],
    max_keys: 10,
    test_calls: [],
    url: 'https://www.exemplo.com.br/api/outcomes',
  }
}
