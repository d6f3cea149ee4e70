import type { Received, Reply, VendorApi } from './start-vendor-apis.ts'

/** A pixel that it accepts. */
export const tiktokPixel = {
  name: 'TikTok',
  type: 'custom',
  destination: 'tiktok',
  destination_account: 'C1ABCDEF2GHIJKLMNOP0',
  delivery: 'server',
  access_token: 'good-token',
}

/** TikTok's Events API: success and failure have one form, and its texts echo what was sent. */
export const standIn: VendorApi = {
  hosts: ['business-api.tiktok.com'],
  answer({ path, headers, body }: Received): Reply {
    if (path !== '/open_api/v1.3/event/track/') return said(404, 40_006, 'no such endpoint')
    // A `Bearer` is part of a wrong token.
    if (!String(headers['access-token']).startsWith('good')) return said(200, 40_105, 'wrong token')
    if (body.event_source !== 'web') return said(400, 40_002, 'event_source: not a valid choice')
    if (body.event_source_id !== tiktokPixel.destination_account)
      return said(401, 40_001, `no permission for ${body.event_source_id}`)
    if (body.data.length > 1000) return said(400, 40_061, 'too many events')
    for (const [index, event] of body.data.entries()) {
      if (typeof event.event_id !== 'string') return said(400, 40_002, `data.${index}.event_id: not a string`)
      if (!Number.isInteger(event.event_time) || event.event_time < Date.now() / 1000 - 7 * 86_400)
        return said(400, 40_002, `data.${index}.event_time: ${event.event_time}`)
      for (const key of ['email', 'external_id'])
        if (event.user?.[key] !== undefined && !/^[0-9a-f]{64}$/.test(event.user[key]))
          return said(400, 40_062, `data.${index}.user.${key}: ${event.user[key]}`)
    }
    return said(200, 0, 'OK')
  },
}

function said(status: number, code: number, message: string): Reply {
  return {
    status,
    body: JSON.stringify({ code, message, request_id: '2026', ...(code === 0 ? { data: {} } : {}) }),
  }
}
