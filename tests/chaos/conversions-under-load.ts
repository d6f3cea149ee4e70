import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CONSENT_TEXT_VERSION, formatConsent, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { type Received, startVendorApis } from '../support/vendor-apis/start-vendor-apis.ts'
import { type Place, until } from './scenario.ts'
import { signIn } from './sign-in.ts'

const WRITERS = 8
/** A killed replica's lease and what its jobs then take, on a busy machine. */
const SETTLED_WITHIN_MS = 5 * 60_000
const GOOGLE = 'www.google-analytics.com'
const META = 'graph.facebook.com'
const PIXELS = [
  { name: 'Meta', type: 'meta', pixel_id: '482910377165024', access_token: 'good-token' },
  { name: 'GA4', type: 'google_analytics', pixel_id: 'G-7XK2M9QTLP', access_token: 'google-secret' },
  {
    name: 'Webhook',
    type: 'custom',
    consent_category: 'marketing',
    webhook_url: 'https://hooks.exemplo.com.br/c',
    access_token: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  },
]

interface Surroundings {
  /** For the environment of each server. */
  env: Record<string, string>
  /** Where the servers answer just now. */
  urls: string[]
  /** Resolves when this share of the events was acknowledged. */
  untilAcknowledged(share: number): Promise<void>
}

interface Options {
  events: number
  /** Starts the servers. */
  start(surroundings: Surroundings): Promise<void>
  /** Breaks and mends what it likes while events come. */
  breakAndMend(surroundings: Surroundings): Promise<void>
  /** One statement to the database; throws while there is none. */
  ask(statement: string): Promise<Record<string, unknown>[]>
  /** In the database's own words. */
  now: string
}

/**
 * Eight at once tell the servers of conversions for Meta, Google and a webhook, which cut, fail and hang. What must hold
 * whatever breaks: of what was acknowledged, Meta and the webhook have every event by its ID, Google has none twice, and
 * the counts account for every copy.
 */
export async function conversionsUnderLoad(place: Place, options: Options): Promise<string> {
  const { events, ask } = options
  const apis = await startVendorApis()
  apis.keepsConnections = true
  place.atEnd(() => apis.close())
  const certificate = join(place.folder, 'vendors.pem')
  writeFileSync(certificate, apis.certificate)

  const acknowledged: string[] = []
  const surroundings: Surroundings = {
    env: { HTTPS_PROXY: apis.proxyUrl, NODE_EXTRA_CA_CERTS: certificate },
    urls: [],
    untilAcknowledged: (share) =>
      until(`${share} of the events were acknowledged`, () => acknowledged.length >= events * share, 300_000),
  }
  await options.start(surroundings)
  const [url = ''] = surroundings.urls
  const { headers } = await signIn(url)
  for (const pixel of PIXELS)
    await post(`${url}/rest/v1/tracking_pixels`, { ...pixel, delivery: 'server' }, headers)

  const taken: Record<string, string[]> = { Meta: [], Webhook: [], GA4: [] }
  let seen = 0
  apis.answer = (request) => {
    seen++
    // Whatever becomes of it, Google has it: it counts twice what comes twice.
    if (request.host === GOOGLE) taken.GA4?.push(idOf(request))
    // Some are cut after they were read, some fail, and a few are never answered.
    if (seen % 997 === 0) return 'hang'
    if (seen % 11 === 0) return 'reset'
    if (seen % 7 === 0) return { status: 500, body: '<html>' }
    if (request.host === META)
      taken.Meta?.push(...request.body.data.map(({ event_id }: { event_id: string }) => event_id))
    else if (request.host !== GOOGLE) taken.Webhook?.push(idOf(request))
    return undefined
  }

  let refused = 0
  let turn = 0
  async function write(writer: number): Promise<void> {
    const consent = randomUUID()
    const cookie = `portico_consent=${formatConsent({ textVersion: CONSENT_TEXT_VERSION, granted: [...OPTIONAL_CATEGORIES], asked: [...OPTIONAL_CATEGORIES], id: consent })}`
    const choice = { id: consent, action: 'save', text_version: CONSENT_TEXT_VERSION, tag_set_version: '' }
    await post(`${url}/api/consent`, { ...choice, categories: OPTIONAL_CATEGORIES })
    while (acknowledged.length < events) {
      turn++
      const id = randomUUID()
      const status = await post(
        `${surroundings.urls[turn % surroundings.urls.length]}/api/events`,
        { id, name: 'lead', path: '/' },
        { cookie, 'x-forwarded-for': `198.${turn % 97}.${turn % 250}.${writer + 1}` },
      ).catch(() => 0)
      if (status === 204) acknowledged.push(id)
      else {
        refused++
        // Nobody posts on at full speed to a server that is away.
        await wait(50)
      }
    }
  }
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  await options.breakAndMend(surroundings)
  await writers

  await until(
    'nothing waits',
    async () => {
      try {
        // What failed waits for its turn; nobody has to wait with it.
        await ask(`update deliveries set next_attempt_at = ${options.now} where leased_until is null`)
        return Number((await ask('select count(*) as n from deliveries'))[0]?.n) === 0
      } catch {
        return false
      }
    },
    SETTLED_WITHIN_MS,
  )
  const counts = await ask(
    `select p.name, c.key as state, sum(c.count) as n
     from counts c join tracking_pixels p on cast(p.id as text) = c.subject
     where c.series = 'conversion' and c.resolution = 'hour' group by 1, 2`,
  )
  assertKept(acknowledged, taken, counts)
  const told = counts
    .map(({ name, state, n }) => `${name} ${state} ${n}`)
    .sort()
    .join(', ')
  return `${acknowledged.length} acknowledged, ${refused} told to come again; 0 lost, 0 twice at Google; ${told}`
}

function assertKept(
  acknowledged: readonly string[],
  taken: Record<string, string[]>,
  counts: readonly Record<string, unknown>[],
): void {
  const faults: string[] = []
  for (const name of ['Meta', 'Webhook']) {
    const known = new Set(taken[name])
    const lost = acknowledged.filter((id) => !known.has(id)).length
    if (lost > 0) faults.push(`${lost} of ${acknowledged.length} never reached ${name}`)
  }
  const google = taken.GA4 ?? []
  const twice = google.length - new Set(google).size
  if (twice > 0) faults.push(`Google was told ${twice} times twice`)
  for (const { name } of PIXELS) {
    const sum = counts.filter((row) => row.name === name).reduce((all, { n }) => all + Number(n), 0)
    if (sum < acknowledged.length)
      faults.push(`${name}: ${sum} accounted for, ${acknowledged.length} acknowledged`)
  }
  if (acknowledged.length === 0) faults.push('nothing was acknowledged')
  if (faults.length > 0) throw new Error(faults.join('; '))
}

/** Google is told no ID of ours: each event here is a visitor of its own. */
const idOf = ({ headers, body }: Received) =>
  String(headers['webhook-id'] ?? `${body.timestamp_micros} ${body.client_id}`)

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  return response.status
}
