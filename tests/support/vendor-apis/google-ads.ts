import { generateKeyPairSync } from 'node:crypto'
import type { Received, Reply, VendorApi } from './start-vendor-apis.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Verifies what the keys of `googleKeyOf` signed. */
export const googlePublicKey = publicKey

/** The file of a service account's key. One whose name begins with `deleted` is refused. */
export function googleKeyOf(who: string): string {
  return JSON.stringify(
    {
      type: 'service_account',
      client_email: `${who}@projeto.iam.gserviceaccount.com`,
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      // Never called: it could be any address.
      token_uri: 'https://evil.example/token',
    },
    null,
    2,
  )
}

/** A pixel that it accepts. */
export const googleAdsPixel = {
  name: 'Google Ads',
  type: 'custom',
  destination: 'google_ads',
  destination_account: '123-456-7890',
  event_ids: { lead: '987654321', contact: '987654322', sign_up: '987654323' },
  delivery: 'server',
  access_token: googleKeyOf('good-one'),
}

/**
 * Google's token endpoint, and the Data Manager API: ingestion, and what became of a request. The tokens that it gives
 * are accepted.
 */
export const standIn: VendorApi = {
  hosts: ['oauth2.googleapis.com', 'datamanager.googleapis.com'],
  answer: (request) => {
    if (request.host === 'oauth2.googleapis.com') return giveToken(request)
    return isStatusRequest(request) ? retrieveStatus(request) : ingest(request)
  },
}

function giveToken({ path, body }: Received): Reply {
  const [, claims = ''] = String(body?.assertion).split('.')
  const { iss, scope } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}')
  const isGood =
    path === '/token' &&
    body.grant_type === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
    scope === 'https://www.googleapis.com/auth/datamanager' &&
    !String(iss).startsWith('deleted')
  return isGood
    ? {
        status: 200,
        body: JSON.stringify({ access_token: `token-of-${iss}`, expires_in: 3599, token_type: 'Bearer' }),
      }
    : { status: 400, body: JSON.stringify({ error: 'invalid_grant', error_description: 'echo' }) }
}

function ingest({ path, headers, body }: Received): Reply {
  if (path !== '/v1/events:ingest') return refuse(404, 'NOT_FOUND')
  if (!String(headers.authorization).startsWith('Bearer token-of-')) return refuse(401, 'UNAUTHENTICATED')
  const [destination] = body.destinations
  if (destination.operatingAccount.accountId !== '1234567890') return refuse(403, 'PERMISSION_DENIED')
  if (!/^98765\d+$/.test(destination.productDestinationId))
    return refuse(400, 'INVALID_ARGUMENT', 'INVALID_CONVERSION_ACTION_ID')
  for (const event of body.events) {
    const { gclid, gbraid, wbraid } = event.adIdentifiers ?? {}
    const hash = event.userData?.userIdentifiers[0].emailAddress
    if (!gclid && !gbraid && !wbraid && !hash)
      return refuse(400, 'INVALID_ARGUMENT', 'NO_IDENTIFIERS_PROVIDED')
    if (hash && !(body.encoding === 'HEX' && /^[0-9a-f]{64}$/.test(hash)))
      return refuse(400, 'INVALID_ARGUMENT', 'INVALID_SHA256_FORMAT')
    if (Number.isNaN(Date.parse(event.eventTimestamp)))
      return refuse(400, 'INVALID_ARGUMENT', 'EVENT_TIME_INVALID')
  }
  // A dry run has no ID.
  if (body.validateOnly) return { status: 200, body: '{}' }
  const requestId = `c2f0e7/${given.size}+=`
  given.add(requestId)
  return { status: 200, body: JSON.stringify({ requestId }) }
}

/** Requests that were accepted. */
const given = new Set<string>()

export function isStatusRequest({ path }: Received): boolean {
  return path.startsWith('/v1/requestStatus:retrieve')
}

function retrieveStatus({ path, headers, text }: Received): Reply {
  if (!String(headers.authorization).startsWith('Bearer token-of-')) return refuse(401, 'UNAUTHENTICATED')
  const { searchParams } = new URL(path, 'https://datamanager.googleapis.com')
  if (text !== '' || [...searchParams.keys()].join() !== 'requestId') return refuse(400, 'INVALID_ARGUMENT')
  return given.has(searchParams.get('requestId') ?? '') ? googleStatus('SUCCESS') : refuse(404, 'NOT_FOUND')
}

/** What became of a request. Counts of 64 bits are text. */
export function googleStatus(requestStatus: string, errors: Record<string, number> = {}): Reply {
  const errorCounts = Object.entries(errors).map(([reason, count]) => ({
    recordCount: String(count),
    reason: `PROCESSING_ERROR_REASON_${reason}`,
  }))
  const destination = {
    operatingAccount: { accountType: 'GOOGLE_ADS', accountId: '1234567890' },
    productDestinationId: '987654321',
  }
  const status = {
    destination,
    requestStatus,
    eventsIngestionStatus: { recordCount: '1' },
    ...(errorCounts.length === 0 ? {} : { errorInfo: { errorCounts } }),
  }
  return { status: 200, body: JSON.stringify({ requestStatusPerDestination: [status] }) }
}

/** Answers that are no result. */
export const GOOGLE_WITHOUT_RESULT: Readonly<Record<string, Reply>> = {
  'still processing': googleStatus('PROCESSING'),
  'an unknown status': googleStatus('REQUEST_STATUS_UNKNOWN'),
  'partial success without counts': googleStatus('PARTIAL_SUCCESS'),
  'an unknown request': refuse(404, 'NOT_FOUND'),
  'no access': refuse(403, 'PERMISSION_DENIED'),
  'too many requests': { status: 429, headers: { 'retry-after': '2' }, body: '{}' },
  'a server error': { status: 500, body: '<html>' },
  'a page in place of JSON': { status: 200, body: '<html>' },
  'a cut connection': 'reset',
  'no answer at all': 'hang',
}

function refuse(code: number, status: string, reason?: string): Reply {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: reason ?? status, domain: 'datamanager' },
    { '@type': 'type.googleapis.com/google.rpc.RequestInfo', requestId: '1' },
  ]
  return { status: code, body: JSON.stringify({ error: { code, message: 'echo', status, details } }) }
}
