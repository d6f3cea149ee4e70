import { DAY_MS } from '#contract/durations.ts'
import { siteDate } from '#contract/site.ts'

export interface RequestedRows {
  pixel: string
  /** Where older pages begin. */
  before: string
  event: string
}

/** What the dashboard reads, screen by screen, with the filters that change a statement. */
export function dashboardRequests({ pixel, before, event }: RequestedRows): [what: string, path: string][] {
  const now = Date.now()
  const day = (ago: number) => siteDate(now - ago * DAY_MS)
  const days = (count: number) => `from=${day(count - 1)}&to=${day(0)}`
  const since = (ms: number) => new Date(now - ms).toISOString()
  const listed = 'id,name,type,pixel_id,is_active,created_at,updated_at'
  return [
    ['list: all pixels', `/rest/v1/tracking_pixels?select=${listed}&order=created_at.desc`],
    ['list: health of the tags', '/admin/api/tags'],
    ['list: today', '/admin/api/today'],
    ['every screen: notices', '/admin/api/notices'],
    ['form: destinations', '/admin/api/destinations'],
    ['pixel: all columns', `/rest/v1/tracking_pixels?select=*&id=eq.${pixel}`],
    ['pixel: visits of 24 hours', `/admin/api/pixels/${pixel}/ledger?step=hour&from=${since(DAY_MS)}`],
    ['pixel: visits of 90 days', `/admin/api/pixels/${pixel}/ledger?step=day&from=${since(89 * DAY_MS)}`],
    ['pixel: history', `/admin/api/pixels/${pixel}/history`],
    ['pixel: older history', `/admin/api/pixels/${pixel}/history?before=${before}_${event}`],
    ['pixel: cost', `/admin/api/pixels/${pixel}/cost`],
    ['pixel: deliveries', `/admin/api/pixels/${pixel}/deliveries`],
    ['pixel: conversions', `/admin/api/pixels/${pixel}/conversions`],
    ['pixel: tests', `/admin/api/pixels/${pixel}/tests`],
    ['pixel: hosts', `/admin/api/tags/${pixel}/hosts`],
    ['pixel: hours', `/admin/api/tags/${pixel}/hours`],
    ['visits: a month by channel', `/admin/api/visits?${days(30)}&step=day&by=channel`],
    ['visits: a year by campaign', `/admin/api/visits?${days(365)}&step=day&by=campaign`],
    ['visits: hours of a week', `/admin/api/visits?${days(7)}&step=hour&by=channel`],
    ['visits: of one channel', `/admin/api/visits?${days(30)}&step=day&by=source&channel=paid_search`],
    ['visits: changes of tags', '/admin/api/activity?kind=pixels'],
    ['outcomes: 90 days', '/admin/api/outcomes?mode=live&days=90'],
    ['consent: a month', `/admin/api/consent?${days(30)}`],
    ['consent: a year', `/admin/api/consent?${days(365)}`],
    ['consent: one code', '/admin/api/consent/records?code=0B6E1C9A-8A53'],
    ['subscriptions', '/admin/api/subscriptions'],
    ['subscriptions: older', `/admin/api/subscriptions?before=${before}_${event}`],
    ['subscriptions: failed', '/admin/api/subscriptions?status=failed'],
    ['subscriptions: search with results', '/admin/api/subscriptions?search=pessoa12'],
    ['subscriptions: search without result', '/admin/api/subscriptions?search=ninguem@exemplo'],
    ['inventory', '/admin/api/inventory'],
    ['trash', '/admin/api/trash'],
    ['users', '/rest/v1/admin_users?select=*&order=created_at.asc'],
    ['activity', '/admin/api/activity'],
    ['activity: older', `/admin/api/activity?before=${before}_${event}`],
    ['activity: of one person', '/admin/api/activity?by=pessoa3@exemplo.com.br'],
    ['activity: search without result', '/admin/api/activity?search=ninguem'],
    ['account: logins', '/admin/api/logins'],
    ['account: alerts', '/admin/api/alerts'],
    ['account: recovery codes', '/admin/api/recovery-codes'],
    ['settings: chat', '/admin/api/alerts/webhook'],
  ]
}
