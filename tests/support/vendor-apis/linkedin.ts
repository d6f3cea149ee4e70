import type { Received, Reply, VendorApi } from './start-vendor-apis.ts'

/** A pixel that it accepts. */
export const linkedinPixel = {
  name: 'LinkedIn',
  type: 'custom',
  destination: 'linkedin',
  event_ids: { lead: '104012', contact: '104013', sign_up: '104014' },
  delivery: 'server',
  access_token: 'good-token',
}

const KEYS = new Set(['conversion', 'conversionHappenedAt', 'conversionValue', 'eventId', 'user'])

const ID_TYPES = new Set(['SHA256_EMAIL', 'LINKEDIN_FIRST_PARTY_ADS_TRACKING_UUID', 'PLAINTEXT_IP_ADDRESS'])

/** LinkedIn's Conversions API: takes an event with 201 and no body, and swallows IPv6 addresses. */
export const standIn: VendorApi = {
  hosts: ['api.linkedin.com'],
  answer({ path, headers, body }: Received): Reply {
    if (path !== '/rest/conversionEvents') return refuse(404, 'RESOURCE_NOT_FOUND')
    const version = headers['linkedin-version']
    if (version === undefined) return refuse(400, 'VERSION_MISSING')
    if (Number(version) < 202_512) return refuse(426, 'NONEXISTENT_VERSION')
    if (!String(headers.authorization).startsWith('Bearer good')) return refuse(401, 'INVALID_ACCESS_TOKEN')
    if (headers['x-restli-protocol-version'] !== '2.0.0') return refuse(400)
    const known = Object.keys(body).every((key) => KEYS.has(key))
    const ids = body.user?.userIds
    if (!known || !Array.isArray(ids) || ids.some(({ idType }) => !ID_TYPES.has(idType))) return refuse(422)
    const { amount = '0' } = body.conversionValue ?? {}
    if (typeof amount !== 'string') return refuse(422)
    const age = Date.now() - body.conversionHappenedAt
    if (!(age > -60_000 && age < 90 * 86_400_000)) return refuse(400)
    if (!/^urn:lla:llaPartnerConversion:1040\d\d$/.test(body.conversion)) return refuse(403)
    return { status: 201 }
  },
}

function refuse(status: number, code?: string): Reply {
  return { status, body: JSON.stringify({ status, code, message: 'echo 189.6.10.20' }) }
}
