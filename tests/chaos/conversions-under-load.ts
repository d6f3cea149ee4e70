import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CONSENT_TEXT_VERSION, formatConsent, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { googleAdsPixel, isStatusRequest } from '../support/vendor-apis/google-ads.ts'
import { linkedinPixel } from '../support/vendor-apis/linkedin.ts'
import { pinterestPixel } from '../support/vendor-apis/pinterest.ts'
import { type Received, startVendorApis } from '../support/vendor-apis/start-vendor-apis.ts'
import { tiktokPixel } from '../support/vendor-apis/tiktok.ts'
import { OutcomeReporter } from './outcomes-under-load.ts'
import { type Place, until } from './scenario.ts'
import { signIn } from './sign-in.ts'

const WRITERS = 8
/** Conversions of a writer for each call with outcomes. */
const PER_REPORT = 10
/** A killed process's lease and its jobs afterwards, on a busy machine. */
const SETTLED_WITHIN_MS = 5 * 60_000
const eventIds = ({ body }: Received): string[] =>
  body.data.map(({ event_id }: { event_id: string }) => event_id)

interface Receiver {
  pixel: { name: string; [column: string]: unknown }
  host: string
  /** Which events a request has. */
  idsOf(request: Received): string[]
  /** It counts duplicates, so that it must get none: not even after an error, or only after one. */
  atMostOnce?: 'always' | 'unless it failed'
  /** Its event for outcomes; absent if it takes none. */
  outcome?: string
}

/** Every destination. */
const RECEIVERS: readonly Receiver[] = [
  {
    pixel: { name: 'Meta', type: 'meta', pixel_id: '482910377165024', access_token: 'good-token' },
    host: 'graph.facebook.com',
    idsOf: eventIds,
    outcome: 'PrimeiraVenda',
  },
  {
    pixel: { name: 'GA4', type: 'google_analytics', pixel_id: 'G-7XK2M9QTLP', access_token: 'google-secret' },
    host: 'www.google-analytics.com',
    // It gets no ID of ours: each event here is a separate visitor.
    idsOf: ({ body }) => [`${body.timestamp_micros} ${body.client_id}`],
    atMostOnce: 'always',
    outcome: 'primeira_venda',
  },
  {
    pixel: {
      name: 'Webhook',
      type: 'custom',
      webhook_url: 'https://hooks.exemplo.com.br/c',
      access_token: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    },
    host: 'hooks.exemplo.com.br',
    idsOf: ({ headers }) => [String(headers['webhook-id'])],
    outcome: 'outcome.primeira_venda',
  },
  {
    pixel: tiktokPixel,
    host: 'business-api.tiktok.com',
    idsOf: eventIds,
    outcome: 'PrimeiraVenda',
  },
  {
    pixel: googleAdsPixel,
    host: 'datamanager.googleapis.com',
    idsOf: ({ body }) => [body.events[0].transactionId],
    outcome: '987654399',
  },
  { pixel: pinterestPixel, host: 'api.pinterest.com', idsOf: eventIds },
  {
    pixel: linkedinPixel,
    host: 'api.linkedin.com',
    idsOf: ({ body }) => [body.eventId],
    atMostOnce: 'unless it failed',
    outcome: '104099',
  },
]

const OUTCOME_EVENTS = Object.fromEntries(
  RECEIVERS.flatMap(({ pixel, outcome }) => (outcome === undefined ? [] : [[pixel.name, outcome]])),
)

/** What every scenario of conversions promises. */
export const CONVERSIONS_PROMISED =
  'vendors that merge duplicates have every acknowledged event by its ID; the others have none twice; every event is accounted for; outcomes answered with 200 count once'

interface Surroundings {
  /** For the environment of each server. */
  env: Record<string, string>
  /** Current addresses of the servers. */
  urls: string[]
  /** Resolves when this share of the events was acknowledged. */
  untilAcknowledged(share: number): Promise<void>
}

interface Options {
  events: number
  /** Starts the servers. */
  start(surroundings: Surroundings): Promise<void>
  /** Breaks and repairs something while events arrive. */
  breakAndMend(surroundings: Surroundings): Promise<void>
  /** One statement to the database; throws while it is unavailable. */
  ask(statement: string): Promise<Record<string, unknown>[]>
  /** In the database's SQL. */
  now: string
}

/**
 * Eight clients post conversions and outcomes for every destination, while the vendors cut, fail and hang. In every case:
 * vendors that merge duplicates have every acknowledged event by its ID, the others have none twice, and the counts cover
 * all. Outcomes are counted exactly once.
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
  for (const { pixel } of RECEIVERS) {
    const status = await post(
      `${url}/rest/v1/tracking_pixels`,
      { ...pixel, delivery: 'server', consent_category: 'marketing' },
      headers,
    )
    if (status !== 201) throw new Error(`${pixel.name}: HTTP ${status}`)
  }

  const outcomes = await OutcomeReporter.prepare(url, headers, OUTCOME_EVENTS)
  const taken = new Map(RECEIVERS.map((receiver) => [receiver, [] as string[]]))
  const seen = new Map<string, number>()
  apis.answer = (request) => {
    const count = (seen.get(request.host) ?? 0) + 1
    seen.set(request.host, count)
    // Some are cut after they were read, some fail, and a few are never answered.
    const reply =
      count % 499 === 0
        ? 'hang'
        : count % 11 === 0
          ? 'reset'
          : count % 7 === 0
            ? { status: 500, body: '<html>' }
            : undefined
    const receiver = RECEIVERS.find(({ host }) => host === request.host)
    // A vendor that answers nothing may have it.
    const mayHaveIt =
      receiver?.atMostOnce === 'always' || (receiver?.atMostOnce !== undefined && typeof reply === 'string')
    if (receiver !== undefined && !isStatusRequest(request) && (reply === undefined || mayHaveIt))
      taken.get(receiver)?.push(...receiver.idsOf(request))
    return reply
  }

  let refused = 0
  let turn = 0
  const posted = new Set<string>()
  const urlOf = (number: number) => surroundings.urls[number % surroundings.urls.length] ?? ''
  async function write(writer: number): Promise<void> {
    const consent = randomUUID()
    const cookie = `portico_consent=${formatConsent({ textVersion: CONSENT_TEXT_VERSION, granted: [...OPTIONAL_CATEGORIES], asked: [...OPTIONAL_CATEGORIES], id: consent })}`
    const choice = { id: consent, action: 'save', text_version: CONSENT_TEXT_VERSION, tag_set_version: '' }
    await post(`${url}/api/consent`, { ...choice, categories: OPTIONAL_CATEGORIES })
    const visit = await OutcomeReporter.visit(url, cookie)
    for (let own = 0; acknowledged.length < events; own++) {
      turn++
      // Not all writers at once: what breaks should hit both kinds of calls.
      if ((own + writer) % PER_REPORT === 0) await outcomes.report(() => [urlOf(own), urlOf(own + 1)], visit)
      const id = randomUUID()
      posted.add(id)
      const status = await post(
        `${urlOf(turn)}/api/events`,
        { id, name: 'lead', path: '/?gclid=Cj0KCQexample' },
        { cookie, 'x-forwarded-for': `201.${turn % 97}.${turn % 250}.${writer + 1}` },
      ).catch(() => 0)
      // Questions about accepted events are asked meanwhile, not half an hour later.
      if (turn % 20 === 0)
        await ask(
          `update deliveries set next_attempt_at = ${options.now} where kind = 'confirmation' and leased_until is null`,
        ).catch(() => {})
      if (status === 204) acknowledged.push(id)
      else {
        refused++
        // Clients slow down while a server is unavailable.
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
        // Failed events wait for their delay; this shortens it.
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
  const counted = await outcomes.assertCounted(OUTCOME_EVENTS)
  assertKept({ acknowledged, posted, outcomes: outcomes.count }, taken, counts)
  const [confirmed] = await ask(
    `select sum(count) as n from counts where series = 'conversion.confirmation' and key = 'confirmed '`,
  )
  const sent = counts
    .filter(({ name, state }) => name === googleAdsPixel.name && state === 'unconfirmed ')
    .reduce((all, { n }) => all + Number(n), 0)
  if (Number(confirmed?.n) !== sent)
    throw new Error(`${googleAdsPixel.name} confirmed ${confirmed?.n} events, ${sent} were sent`)
  const results = counts
    .map(({ name, state, n }) => `${name} ${state} ${n}`)
    .sort()
    .join(', ')
  return `${acknowledged.length} acknowledged, ${refused} answered with 503; 0 lost, 0 twice where duplicates count; ${counted}; ${results}`
}

interface Sent {
  acknowledged: readonly string[]
  /** With those that were not acknowledged, and may have been stored. */
  posted: ReadonlySet<string>
  /** Outcomes that were answered with 200. */
  outcomes: number
}

function assertKept(
  { acknowledged, posted, outcomes }: Sent,
  taken: ReadonlyMap<Receiver, readonly string[]>,
  counts: readonly Record<string, unknown>[],
): void {
  const faults: string[] = []
  for (const [
    {
      pixel: { name },
      atMostOnce,
      outcome,
    },
    ids,
  ] of taken) {
    const known = new Set(ids)
    const lost = acknowledged.filter((id) => !known.has(id)).length
    if (atMostOnce === undefined && lost > 0)
      faults.push(`${lost} of ${acknowledged.length} never reached ${name}`)
    // Their IDs at vendors are derived from the visit.
    const own = [...known].filter((id) => !posted.has(id)).length
    if (atMostOnce === undefined && outcome !== undefined && own !== outcomes)
      faults.push(`${name} got ${own} of ${outcomes} outcomes`)
    const twice = ids.length - known.size
    if (atMostOnce !== undefined && twice > 0) faults.push(`${name} got ${twice} events twice`)
    if (known.size === 0) faults.push(`${name} got nothing`)
    const sum = counts.filter((row) => row.name === name).reduce((all, { n }) => all + Number(n), 0)
    const expected = acknowledged.length + (outcome === undefined ? 0 : outcomes)
    if (sum < expected) faults.push(`${name}: ${sum} accounted for, ${expected} acknowledged`)
  }
  if (acknowledged.length === 0) faults.push('nothing was acknowledged')
  if (faults.length > 0) throw new Error(faults.join('; '))
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  return response.status
}
