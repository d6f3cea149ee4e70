import type { Received, Reply, VendorApi } from './start-vendor-apis.ts'

/** Meta's Conversions API: refuses a missing or bad token, old events, and events without an ID. */
export const standIn: VendorApi = {
  hosts: ['graph.facebook.com'],
  answer({ headers, body }: Received): Reply {
    if (!headers.authorization) return metaError(400, { code: 104 })
    if (!String(headers.authorization).includes('good')) return metaError(401, { code: 190 })
    const now = Date.now() / 1000
    for (const event of body.data) {
      if (event.event_time < now - 7 * 86_400) return metaError(400, { code: 100, error_subcode: 2804003 })
      const { fbp, fbc, external_id, client_user_agent } = event.user_data ?? {}
      if ((!fbp && !fbc && !external_id) || (event.action_source === 'website' && !client_user_agent))
        return metaError(400, { code: 100, error_subcode: 2804050 })
    }
    return {
      status: 200,
      body: JSON.stringify({ events_received: body.data.length, messages: [], fbtrace_id: 'A'.repeat(23) }),
    }
  },
}

export function metaError(
  status: number,
  error: { code: number; error_subcode?: number; is_transient?: boolean },
  headers: Record<string, string> = {},
): Reply {
  return {
    status,
    headers,
    body: JSON.stringify({
      error: { message: 'Localisé', type: 'OAuthException', fbtrace_id: 'A', ...error },
    }),
  }
}
