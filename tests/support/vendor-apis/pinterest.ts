import type { Received, Reply, VendorApi } from './start-vendor-apis.ts'

/** A pixel that it accepts. */
export const pinterestPixel = {
  name: 'Pinterest',
  type: 'custom',
  destination: 'pinterest',
  destination_account: '549755885175',
  delivery: 'server',
  access_token: 'good-token',
}

const EVENT_KEYS = new Set([
  'event_name',
  'action_source',
  'event_time',
  'event_id',
  'event_source_url',
  'partner_name',
  'user_data',
  'custom_data',
])

const EVENT_NAMES = new Set(['page_visit', 'lead', 'contact', 'signup', 'custom'])

/**
 * Pinterest's Conversions API: refuses tokens that are not good, foreign accounts and unknown keys, and answers for
 * each event. With `test=true` it records nothing and answers the same.
 */
export const standIn: VendorApi = {
  hosts: ['api.pinterest.com'],
  answer({ path, headers, body }: Received): Reply {
    if (!String(headers.authorization).startsWith('Bearer good')) return refuse(401, 2)
    if (!/^\/v5\/ad_accounts\/549755885175\/events(\?test=true)?$/.test(path)) return refuse(403, 29)
    if (!Array.isArray(body?.data) || body.data.length === 0 || body.data.length > 1000)
      return refuse(400, 4196)
    if (body.data.some((event: object) => Object.keys(event).some((key) => !EVENT_KEYS.has(key))))
      return refuse(400, 4196)
    const events = body.data.map(judge)
    return {
      status: 200,
      body: JSON.stringify({
        num_events_received: events.length,
        num_events_processed: events.filter(({ status }: { status: string }) => status === 'processed')
          .length,
        events,
      }),
    }
  },
}

function judge(event: Received['body']): object {
  const { em, client_ip_address, client_user_agent } = event.user_data ?? {}
  const isKnown = EVENT_NAMES.has(event.event_name) && event.action_source === 'web'
  const isIdentified = Array.isArray(em) || (client_ip_address && client_user_agent)
  return isKnown && isIdentified && Number.isInteger(event.event_time) && typeof event.event_id === 'string'
    ? { status: 'processed', error_message: '', warning_message: '' }
    : { status: 'failed', error_message: `bad event ${JSON.stringify(event)}`, warning_message: '' }
}

function refuse(status: number, code: number): Reply {
  return { status, body: JSON.stringify({ code, message: 'echo 189.6.10.20' }) }
}
